#!/usr/bin/env bash
# slurm_test.sh WEFT: runs examples/sweep.sbatch on a Slurm of one node, whose daemons this script starts
# in a folder of its own. Exit code 77: they do not start here.
set -euo pipefail

readonly weft="$1"
examples="$(cd "$(dirname "${BASH_SOURCE[0]}")/../../examples" && pwd)"
folder="$(mktemp -d)"
cd "$folder"
mkdir run state spool

stop() {
  local name
  if [[ -n "${job:-}" ]]; then scancel "$job" 2>/dev/null || true; fi
  for name in slurmd slurmctld munged; do
    if [[ -s "run/$name.pid" ]]; then kill "$(<"run/$name.pid")" 2>/dev/null || true; fi
  done
  sleep 0.5
  rm -rf "$folder"
}
trap stop EXIT

skip() {
  echo "no Slurm here: $*" >&2
  tail -n 3 ./*.log >&2 2>/dev/null || true
  exit 77
}

export PATH="$PATH:/usr/sbin"
for tool in munged slurmctld slurmd sbatch; do
  command -v "$tool" >/dev/null || skip "there is no $tool"
done
if [[ "$(id -u)" -ne 0 ]]; then skip "its daemons need root"; fi

node="$(hostname -s)"
head -c 128 /dev/urandom >munge.key
chmod 400 munge.key
chmod 755 "$folder" run
cat >slurm.conf <<END
ClusterName=weft
SlurmctldHost=$node(127.0.0.1)
SlurmctldPort=17817
SlurmdPort=17818
AuthType=auth/munge
AuthInfo=socket=$folder/run/munge.socket
CredType=cred/munge
SlurmUser=root
SlurmdUser=root
StateSaveLocation=$folder/state
SlurmdSpoolDir=$folder/spool
SlurmctldPidFile=$folder/run/slurmctld.pid
SlurmdPidFile=$folder/run/slurmd.pid
SlurmctldLogFile=$folder/slurmctld.log
SlurmdLogFile=$folder/slurmd.log
ProctrackType=proctrack/pgid
TaskPlugin=task/none
ReturnToService=2
MpiDefault=none
NodeName=$node NodeAddr=127.0.0.1 CPUs=$(nproc) State=UNKNOWN
PartitionName=all Nodes=ALL Default=YES State=UP
END
export SLURM_CONF="$folder/slurm.conf"
munged --force --key-file="$folder/munge.key" --socket="$folder/run/munge.socket" \
  --pid-file="$folder/run/munged.pid" --log-file="$folder/munged.log" \
  --seed-file="$folder/munge.seed" >munged.out 2>&1 || skip "munged: $(tail -n 1 munged.out)"
slurmctld -f "$SLURM_CONF" || skip "slurmctld does not start"
slurmd -f "$SLURM_CONF" || skip "slurmd does not start"
for ((i = 0; i < 100; ++i)); do
  if [[ "$(sinfo --noheader --format=%t 2>/dev/null)" == idle* ]]; then break; fi
  sleep 0.2
done
[[ "$(sinfo --noheader --format=%t 2>/dev/null)" == idle* ]] || skip "its node does not come up"

# Few processors: two tasks share what there is.
WEFT="$weft" timeout 120 sbatch --wait --ntasks=2 --overcommit --output=sweep.out \
  "$examples/sweep.sbatch" "$examples/sweep.ini" "$folder/points.db" >submitted ||
  { cat sweep.out submitted >&2; exit 1; }
grep -q '^.*20 points: 20 computed' sweep.out || { cat sweep.out >&2; exit 1; }
"$weft" sweep --report points.db | grep -q '20 points' || exit 1

# The signal that Slurm sends before the time limit reaches the ranks, and one of them says how to go on.
cat >long.ini <<END
workload = resnet50
machine = tpu-v2
optimize = 0
array.rows = 64..256
memory.gb_per_s = 100..1000
link = array.cols=array.rows
END
job="$(WEFT="$weft" sbatch --parsable --ntasks=2 --overcommit --output=long.out "$examples/sweep.sbatch" \
  "$folder/long.ini" "$folder/long.db")"
grep -qx '#SBATCH --signal=B:TERM@[0-9]*' "$examples/sweep.sbatch" || { echo "no signal" >&2; exit 1; }
for ((i = 0; i < 300; ++i)); do
  if [[ -s long.db ]]; then break; fi
  sleep 0.1
done
scancel --batch --signal=TERM "$job"
for ((i = 0; i < 300; ++i)); do
  if [[ -z "$(squeue --noheader --job="$job" 2>/dev/null)" ]]; then break; fi
  sleep 0.1
done
[[ "$(grep -c "^weft: interrupted; .* are in $folder/long.db: the same command goes on" long.out)" -eq 1 ]] ||
  { cat long.out >&2; exit 1; }
