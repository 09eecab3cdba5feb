"""A Slurm of a test's own: munge, a controller and two nodes on this machine, as the user who runs the tests, all below one directory."""

import contextlib
import getpass
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import tempfile
import time

NODES = ("n1", "n2")
PROGRAMS = ("munged", "slurmctld", "slurmd", "sbatch", "srun", "squeue", "scancel", "scontrol", "sinfo")
PACKAGES = ("munge", "slurmctld", "slurmd", "slurm-client")  # Debian's
MARK = "FSNET_TEST_SLURM"  # in the environment of all that a cluster starts
# Snakemake's job steps take what begins with SLURM_ out of the environment, and on a machine of its own a cluster's settings are in /etc.
SRUN = """\
#!/bin/sh
SLURM_CONF={conf}
export SLURM_CONF
exec {srun} "$@"
"""
CONF = """\
ClusterName=fsnet
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={ports[0]}
SlurmUser={user}
SlurmdUser={user}
AuthType=auth/munge
AuthInfo=socket={home}/munge.socket
StateSaveLocation={home}/state
SlurmdSpoolDir={home}/%n
SlurmctldPidFile={home}/slurmctld.pid
SlurmdPidFile={home}/slurmd-%n.pid
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
MpiDefault=none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU_Memory
SlurmdParameters=config_overrides
SchedulerParameters=bf_interval=1,sched_interval=1
MinJobAge=900
KillWait=2
PartitionName=both Nodes={nodes} Default=YES MaxTime=INFINITE
"""
NODE = "NodeName={name} NodeHostname={host} NodeAddr=127.0.0.1 Port={port} CPUs=1 RealMemory=4000\n"


def programs():
    """Where daemons lie is not on every user's PATH."""
    return os.pathsep.join([os.environ["PATH"], "/usr/local/sbin", "/usr/sbin", "/sbin"])


def missing():
    return [name for name in PROGRAMS if not shutil.which(name, path=programs())]


def install():
    """Debian's packages, for root where nobody works at the machine. Their services are not started."""
    if not os.environ.get("CI") or os.getuid() != 0 or not shutil.which("apt-get") or not missing():
        return
    if pathlib.Path("/run/systemd/system").is_dir():  # there the packages would have the machine start daemons whenever it boots
        return
    environment = os.environ | {"DEBIAN_FRONTEND": "noninteractive"}
    for command in (["apt-get", "update"], ["apt-get", "install", "-y", "--no-install-recommends", *PACKAGES]):
        subprocess.run(command, env=environment, stdin=subprocess.DEVNULL, timeout=300)  # old lists may be enough


def free_ports(count):
    with contextlib.ExitStack() as stack:
        sockets = [stack.enter_context(socket.socket()) for _ in range(count)]
        for s in sockets:
            s.bind(("127.0.0.1", 0))
        return [s.getsockname()[1] for s in sockets]


def wait(what, condition, seconds=60):
    """Waits until a condition holds, and returns what it came to."""
    end = time.monotonic() + seconds
    while not (found := condition()):
        assert time.monotonic() < end, f"after {seconds} s still waiting: {what}"
        time.sleep(0.05)
    return found


class Slurm:
    """Enter it to start the daemons. However it is left, none of its processes remain: neither daemons nor jobs."""

    def __init__(self):
        self.home = pathlib.Path(tempfile.mkdtemp(prefix="fsnet-slurm-"))  # a socket's path has room for a hundred letters
        self.conf = self.home / "slurm.conf"
        self.environment = {name: value for name, value in os.environ.items() if not name.startswith(("SLURM", "SNAKEMAKE"))}
        self.environment |= {"SLURM_CONF": str(self.conf), MARK: str(self.home), "PATH": f"{self.home}{os.pathsep}{programs()}"}
        self.daemons = []

    def __enter__(self):
        try:
            self.start()
        except BaseException:
            self.stop()
            raise
        return self

    def __exit__(self, *_):
        self.stop()

    def start(self):
        host, ports = socket.gethostname().partition(".")[0], free_ports(1 + len(NODES))
        (self.home / "state").mkdir()
        key = self.home / "munge.key"
        key.write_bytes(os.urandom(64))
        key.chmod(0o600)
        nodes = "".join(NODE.format(name=name, host=host, port=port) for name, port in zip(NODES, ports[1:]))
        self.conf.write_text(CONF.format(host=host, user=getpass.getuser(), home=self.home, ports=ports, nodes=",".join(NODES)) + nodes)
        srun = self.home / "srun"
        srun.write_text(SRUN.format(conf=self.conf, srun=shutil.which("srun", path=programs())))
        srun.chmod(0o755)
        files = [f"--{name}-file={self.home}/munge.{name}" for name in ("key", "pid", "log", "seed")]
        self.daemon("munged", "munged", "--foreground", "--force", f"--socket={self.home}/munge.socket", *files)
        wait("munge", (self.home / "munge.socket").exists)
        self.daemon("slurmctld", "slurmctld", "-D")
        for name in NODES:
            self.daemon(name, "slurmd", "-D", "-N", name)
        wait("two idle nodes", lambda: self.ask("sinfo", "-h", "-N", "-o", "%N %T").split() == ["n1", "idle", "n2", "idle"])

    def daemon(self, name, *words):
        with open(self.home / f"{name}.out", "ab") as out:
            self.daemons.append(subprocess.Popen(words, env=self.environment, stdin=subprocess.DEVNULL, stdout=out, stderr=out))

    def ask(self, *words):
        """What a program of Slurm prints."""
        return subprocess.run(words, env=self.environment, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60).stdout

    def tell(self, *words):
        done = subprocess.run(words, env=self.environment, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60)
        assert done.returncode == 0, f"{words}: {done.stdout}{done.stderr}"

    def processes(self):
        """All that this Slurm started, by process id with their environments: the daemons, their steps, jobs, and what jobs started."""
        found = {}
        for place in pathlib.Path("/proc").glob("[0-9]*"):
            with contextlib.suppress(OSError):  # it ended, or is somebody else's
                variables = dict(pair.partition("=")[::2] for pair in (place / "environ").read_bytes().decode(errors="replace").split("\0"))
                if variables.get(MARK) == str(self.home):
                    found[int(place.name)] = variables
        return found

    def stop(self):
        for daemon in self.daemons:
            daemon.kill()
        for daemon in self.daemons:
            daemon.wait()
        end = time.monotonic() + 20
        while (left := self.processes()) and time.monotonic() < end:
            for process in left:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(process, signal.SIGKILL)
            time.sleep(0.1)
        shutil.rmtree(self.home, ignore_errors=True)
        assert not left, f"these outlive the cluster: {left.keys()}"

    def logs(self):
        """The ends of what the daemons said, for whoever looks at a failure."""
        return "\n".join(f"--- {path.name}\n{path.read_text(errors='replace')[-2000:]}" for path in sorted(self.home.glob("*.out")))
