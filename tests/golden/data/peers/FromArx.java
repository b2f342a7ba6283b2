import java.io.File;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.TreeSet;
import org.deidentifier.arx.ARXAnonymizer;
import org.deidentifier.arx.ARXConfiguration;
import org.deidentifier.arx.ARXPopulationModel;
import org.deidentifier.arx.AttributeType;
import org.deidentifier.arx.AttributeType.Hierarchy;
import org.deidentifier.arx.AttributeType.Hierarchy.DefaultHierarchy;
import org.deidentifier.arx.Data;
import org.deidentifier.arx.DataType;
import org.deidentifier.arx.criteria.DistinctLDiversity;
import org.deidentifier.arx.criteria.EntropyLDiversity;
import org.deidentifier.arx.criteria.EqualDistanceTCloseness;
import org.deidentifier.arx.criteria.KAnonymity;
import org.deidentifier.arx.criteria.OrderedDistanceTCloseness;
import org.deidentifier.arx.criteria.PrivacyCriterion;
import org.deidentifier.arx.criteria.RecursiveCLDiversity;
import org.deidentifier.arx.risk.RiskEstimateBuilder;
import org.deidentifier.arx.risk.RiskModelHistogram;
import org.deidentifier.arx.risk.RiskModelSampleRisks;

/**
 * What ARX says of reference files: writes arx.json.
 *
 *     java -cp ARX-AND-ITS-LIBRARIES FromArx.java REFERENCE_FILES > arx.json
 *
 * Risks of the file as it is come from ARX's risk estimator. ARX does not print how diverse or close a file is, it decides whether the
 * file fulfils a model; so each figure is found by halving, among files that may not be transformed (hierarchies of one level, nothing
 * suppressed). Ends of entropy, c and t are right to 1e-9.
 */
public class FromArx {
    private static final String SEVEN = "urbrur,roof,walls,water,electcon,relat,sex";

    /** File, quasi-identifiers, sensitive attribute, distance of t-closeness, l for which the least c is sought. */
    private static final String[][] CASES = {
        {"testdata.csv", SEVEN, "hhcivil", "equal", "1"},
        {"testdata.csv", SEVEN + ",age", "hhcivil", "equal", "1"},
        {"testdata.csv", SEVEN, "age", "ordered", "1"},
        {"testdata.csv", "urbrur,sex", "hhcivil", "equal", "4"},
        {"testdata.csv", "urbrur,sex", "age", "ordered", "70"},
        {"testdata.csv", "urbrur,sex", "water", "ordered", "4"},
        {"testdata.csv", "sex,hhcivil", "roof", "equal", "2"},
        {"testdata.csv", "roof,sex", "age", "ordered", "6"},
        {"francdat.csv", "Key1,Key2,Key3,Key4", "Num3", "ordered", "1"},
        {"francdat.csv", "Key2", "Key3", "equal", "1"},
        {"francdat.csv", "Key3", "Key4", "ordered", "1"},
        {"francdat.csv", "Key2,Key3", "Num1", "ordered", "2"},
    };

    private interface Model {
        PrivacyCriterion of(double parameter);
    }

    private final String folder, file, sensitive;
    private final List<String> keys;

    private FromArx(String folder, String[] parts) {
        this.folder = folder;
        this.file = parts[0];
        this.keys = Arrays.asList(parts[1].split(","));
        this.sensitive = parts[2];
    }

    private Data data(boolean withSensitive) throws Exception {
        Data data = Data.create(new File(folder, file), StandardCharsets.UTF_8, ',');
        int columns = data.getHandle().getNumColumns();
        for (int column = 0; column < columns; column++) {
            String name = data.getHandle().getAttributeName(column);
            if (keys.contains(name)) {
                TreeSet<String> values = new TreeSet<>();
                for (int row = 0; row < data.getHandle().getNumRows(); row++) {
                    values.add(data.getHandle().getValue(row, column));
                }
                DefaultHierarchy hierarchy = Hierarchy.create();
                for (String value : values) {
                    hierarchy.add(value);
                }
                data.getDefinition().setAttributeType(name, AttributeType.QUASI_IDENTIFYING_ATTRIBUTE);
                data.getDefinition().setAttributeType(name, hierarchy);
            } else if (withSensitive && name.equals(sensitive)) {
                data.getDefinition().setAttributeType(name, AttributeType.SENSITIVE_ATTRIBUTE);
                data.getDefinition().setDataType(name, DataType.DECIMAL);
            } else {
                data.getDefinition().setAttributeType(name, AttributeType.INSENSITIVE_ATTRIBUTE);
            }
        }
        return data;
    }

    private boolean fulfils(PrivacyCriterion criterion) throws Exception {
        ARXConfiguration configuration = ARXConfiguration.create();
        configuration.addPrivacyModel(criterion);
        configuration.setSuppressionLimit(0d);
        return new ARXAnonymizer().anonymize(data(!(criterion instanceof KAnonymity)), configuration).isResultAvailable();
    }

    /** The greatest whole number that is fulfilled; 1 always is. */
    private int greatest(Model model) throws Exception {
        int parameter = 1;
        while (fulfils(model.of(parameter + 1))) {
            parameter++;
        }
        return parameter;
    }

    /** Where fulfilment ends between a parameter that fulfils the model and one that does not. */
    private double end(Model model, double fulfilled, double failed) throws Exception {
        while (Math.abs(failed - fulfilled) > 1e-10 * Math.max(1, Math.abs(fulfilled))) {
            double middle = (fulfilled + failed) / 2;
            if (fulfils(model.of(middle))) {
                fulfilled = middle;
            } else {
                failed = middle;
            }
        }
        return fulfilled;
    }

    private String told(String distance, int l) throws Exception {
        List<String> fields = new ArrayList<>();
        fields.add("\"file\": \"" + file + "\"");
        fields.add("\"quasi_identifiers\": [\"" + String.join("\", \"", keys) + "\"]");
        fields.add("\"sensitive\": \"" + sensitive + "\"");
        fields.add("\"distance\": \"" + distance + "\"");
        RiskEstimateBuilder risk = data(false).getHandle().getRiskEstimator(ARXPopulationModel.create(1000000L));
        RiskModelHistogram classes = risk.getEquivalenceClassModel();
        RiskModelSampleRisks sample = risk.getSampleBasedReidentificationRisk();
        int[] sizes = classes.getHistogram();
        long[] below = new long[6];
        for (int i = 0; i < sizes.length; i += 2) {
            for (int k = sizes[i] + 1; k < below.length; k++) {
                below[k] += (long) sizes[i] * sizes[i + 1];
            }
        }
        fields.add("\"records\": " + (long) classes.getNumRecords());
        fields.add("\"classes\": " + (long) classes.getNumClasses());
        fields.add("\"k_anonymity\": " + sizes[0]);
        fields.add("\"unique\": " + (long) risk.getSampleBasedUniquenessRisk().getNumUniqueRecords());
        fields.add("\"below_k_2\": " + below[2]);
        fields.add("\"below_k_3\": " + below[3]);
        fields.add("\"below_k_5\": " + below[5]);
        fields.add("\"prosecutor_risk\": " + sample.getEstimatedProsecutorRisk());
        fields.add("\"journalist_risk\": " + sample.getEstimatedJournalistRisk());
        fields.add("\"marketer_risk\": " + sample.getEstimatedMarketerRisk());
        fields.add("\"average_risk\": " + sample.getAverageRisk());
        fields.add("\"lowest_risk\": " + sample.getLowestRisk());
        int distinct = greatest(value -> new DistinctLDiversity(sensitive, (int) value));
        fields.add("\"l_diversity\": " + distinct);
        // Of one value only the entropy is 0: no model with l above 1 can be fulfilled.
        Model entropy = value -> new EntropyLDiversity(sensitive, value);
        double least = distinct == 1 ? 1 : end(entropy, 1 + 1e-12, distinct + 1);
        fields.add("\"entropy_l_diversity\": " + least);
        if (l > 1) {
            Model recursive = value -> new RecursiveCLDiversity(sensitive, value, l);
            fields.add("\"recursive_l\": " + l);
            fields.add("\"recursive_c\": " + end(recursive, 1e6, 1e-6));
        }
        Model closeness = distance.equals("equal")
            ? value -> new EqualDistanceTCloseness(sensitive, value)
            : value -> new OrderedDistanceTCloseness(sensitive, value);
        fields.add("\"t_closeness\": " + end(closeness, 1, 1e-9));
        return "  {\n   " + String.join(",\n   ", fields) + "\n  }";
    }

    public static void main(String[] arguments) throws Exception {
        Locale.setDefault(Locale.ROOT);
        List<String> cases = new ArrayList<>();
        for (String[] parts : CASES) {
            cases.add(new FromArx(arguments[0], parts).told(parts[3], Integer.parseInt(parts[4])));
        }
        System.out.println("{\n \"tool\": \"ARX\",\n \"version\": \"3.9.2 (source of 2025-09-12)\",");
        System.out.println(" \"java\": \"" + System.getProperty("java.version") + "\",");
        System.out.println(" \"call\": \"getRiskEstimator(...); anonymize(data, privacy model) with hierarchies of one level and no suppression\",");
        System.out.println(" \"made_by\": \"FromArx.java REFERENCE_FILES\",");
        System.out.println(" \"cases\": [\n" + String.join(",\n", cases) + "\n ]\n}");
    }
}
