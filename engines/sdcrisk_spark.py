"""Makes a call of sdcrisk on Apache Spark: the very words behind '--' are cut into parts, workers make them, and the report is printed.

    spark-submit --master spark://host:7077 sdcrisk_spark.py -- link --method likelihood --statement s.json orig.csv masked.csv

See docs/scale.md. sdcrisk_parts.py stands beside this file.
"""

import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import sdcrisk_parts


def main():
    from pyspark import SparkConf, SparkContext, SparkFiles

    options = sdcrisk_parts.asked("spark", __doc__, sys.argv[1:])
    conf = SparkConf().setIfMissing("spark.app.name", "sdcrisk").setIfMissing("spark.ui.showConsoleProgress", "false")
    # Parts are seldom large, and a report needs all of them.
    conf.setIfMissing("spark.driver.maxResultSize", "0")
    context = SparkContext(conf=conf)
    try:
        cpus = int(conf.get("spark.task.cpus", "1"))
        options.threads = options.threads or cpus
        options.parts = options.parts or 2 * max(1, context.defaultParallelism // cpus)
        context.addPyFile(sdcrisk_parts.__file__)

        def engine(job, files):
            for path in files:
                context.addFile("file:" + path)
            numbers = context.parallelize(range(1, job.of + 1), job.of)
            return numbers.mapPartitions(lambda own: [job.part(number, SparkFiles.get) for number in own]).collect()

        def say(text):
            # spark-submit joins the two streams of a script, and the report may be on the first: so its own second one is used.
            context._jvm.System.err.print(text)

        submitted = "PYSPARK_GATEWAY_PORT" in os.environ
        return sdcrisk_parts.run(options, engine, say if submitted else sdcrisk_parts.to_standard_error)
    finally:
        context.stop()


if __name__ == "__main__":
    sys.exit(main())
