import java.io.File;
import java.nio.charset.StandardCharsets;
import org.deidentifier.arx.ARXAnonymizer;
import org.deidentifier.arx.ARXConfiguration;
import org.deidentifier.arx.ARXPopulationModel;
import org.deidentifier.arx.ARXResult;
import org.deidentifier.arx.AttributeType;
import org.deidentifier.arx.AttributeType.Hierarchy;
import org.deidentifier.arx.AttributeType.Hierarchy.DefaultHierarchy;
import org.deidentifier.arx.Data;
import org.deidentifier.arx.DataHandle;
import org.deidentifier.arx.criteria.KAnonymity;
import org.deidentifier.arx.metric.Metric;

/**
 * What ARX does: java -cp ARX-AND-ITS-LIBRARIES Arx.java JOB FILES... prints JSON: its seconds, and its answer.
 *
 * Reading, and what is written, are in the seconds; starting Java and compiling this file are not.
 */
public class Arx {
    /** Of k-anonymity. */
    private static final int K = 3;

    /** The share of records that an iteration of local recoding may give up. */
    private static final double ITERATION = 0.05;

    public static void main(String[] words) throws Exception {
        long begin = System.nanoTime();
        String answer = words[0].equals("risk") ? risk(words[1]) : suppress(words[1], words[2]);
        double seconds = (System.nanoTime() - begin) / 1e9;
        System.out.printf("%n{\"seconds\": %.9f, \"answer\": {%s}, \"version\": \"ARX, Java %s\"}%n",
            seconds, answer, System.getProperty("java.version"));
    }

    /** A file, all of whose attributes are the key; each value may become a star. */
    private static Data read(String path) throws Exception {
        Data data = Data.create(new File(path), StandardCharsets.UTF_8, ',');
        DataHandle handle = data.getHandle();
        for (int column = 0; column < handle.getNumColumns(); column++) {
            DefaultHierarchy hierarchy = Hierarchy.create();
            for (String value : handle.getDistinctValues(column)) {
                hierarchy.add(value, "*");
            }
            String name = handle.getAttributeName(column);
            data.getDefinition().setAttributeType(name, AttributeType.QUASI_IDENTIFYING_ATTRIBUTE);
            data.getDefinition().setAttributeType(name, hierarchy);
        }
        return data;
    }

    private static String risk(String path) throws Exception {
        int[] sizes = read(path).getHandle().getRiskEstimator(ARXPopulationModel.create(1_000_000L))
            .getEquivalenceClassModel().getHistogram();
        long unique = 0, few = 0;
        for (int i = 0; i < sizes.length; i += 2) {
            unique += sizes[i] == 1 ? sizes[i + 1] : 0;
            few += sizes[i] < K ? (long) sizes[i] * sizes[i + 1] : 0;
        }
        return "\"unique\": " + unique + ", \"below_k_3\": " + few;
    }

    /** k-anonymity with local recoding: every record gets the least recoding that its class needs. */
    private static String suppress(String from, String to) throws Exception {
        ARXConfiguration configuration = ARXConfiguration.create();
        configuration.addPrivacyModel(new KAnonymity(K));
        configuration.setSuppressionLimit(1d - ITERATION);
        configuration.setQualityModel(Metric.createLossMetric(0d));
        ARXResult result = new ARXAnonymizer().anonymize(read(from), configuration);
        DataHandle output = result.getOutput(false);
        result.optimizeIterativeFast(output, ITERATION);
        output.save(to, ',');
        return "";
    }
}
