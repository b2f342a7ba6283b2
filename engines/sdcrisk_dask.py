"""Makes a call of sdcrisk on Dask: the very words behind '--' are cut into parts, workers make them, and the report is printed.

    python3 sdcrisk_dask.py --scheduler tcp://host:8786 -- link --method likelihood --statement s.json orig.csv masked.csv

See docs/scale.md. sdcrisk_parts.py stands beside this file.
"""

import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import sdcrisk_parts


def made(job, number):
    """A part, on a worker."""
    from distributed import get_worker

    folder = get_worker().local_directory
    return job.part(number, lambda name: os.path.join(folder, name))


def remove(names, dask_worker):
    """Takes away from a worker what was brought to it."""
    for name in names:
        path = os.path.join(dask_worker.local_directory, name)
        if os.path.exists(path):
            os.remove(path)


def main():
    from distributed import Client
    from distributed.diagnostics.plugin import UploadFile
    from distributed.protocol.pickle import cloudpickle

    def more(parser):
        parser.add_argument("--scheduler", metavar="ADDRESS", help="the scheduler, or what DASK_SCHEDULER_ADDRESS says [default: workers on this machine]")
        parser.add_argument("--retries", type=int, default=3, metavar="N", help="how often a part that failed is made again [default: 3]")

    options = sdcrisk_parts.asked("dask", __doc__, sys.argv[1:], more)
    # Workers have neither this file nor the other: what they need of them goes with the tasks.
    for module in (sdcrisk_parts, sys.modules[__name__]):
        cloudpickle.register_pickle_by_value(module)
    with Client(options.scheduler or os.environ.get("DASK_SCHEDULER_ADDRESS")) as client:
        options.threads = options.threads or 1
        options.parts = options.parts or 2 * max(1, sum(client.nthreads().values()))

        def engine(job, files):
            names = [os.path.basename(path) for path in files]
            for path, name in zip(files, names):
                # Also for workers that come later.
                client.register_plugin(UploadFile(path, load=False), name=name)
            try:
                parts = client.map(made, [job] * job.of, range(1, job.of + 1), pure=False, retries=options.retries)
                return client.gather(parts)
            finally:
                for name in names:
                    client.unregister_worker_plugin(name)
                client.run(remove, names)

        return sdcrisk_parts.run(options, engine)


if __name__ == "__main__":
    sys.exit(main())
