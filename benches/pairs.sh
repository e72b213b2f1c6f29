# Two programs in turn on one machine, and the ratio of their rates; the comparisons source it.
#
# They run in pairs, the order swapped from one pair to the next, so that what drifts on the machine
# hits both; the ratio is taken within pairs. Whoever sources it has functions `ours` and `theirs`,
# which take a number of threads (or what it compares over), do one run and print two rates: by the
# clock, and by CPU seconds of the whole process.
#
# PAIRS=7 pairs.

pairs=${PAIRS:-7}
benches=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)

# The heads of the columns, by what is compared over and the other program.
in_pairs_head() { # over, other
    printf '%8s %6s %12s %12s   %s\n' "$1" pairs "$2" ours 'ratio: median [quartiles] (least, most)'
}

# Runs all pairs and prints their row.
in_pairs() { # argument of both, the number shown for it, unit, other
    local i mine other rows=''
    for ((i = 0; i < pairs; i++)); do
        if ((i % 2)); then
            other=$(theirs "$1") mine=$(ours "$1")
        else
            mine=$(ours "$1") other=$(theirs "$1")
        fi
        if [ -z "$mine" ] || [ -z "$other" ]; then
            echo "a run with $1 gave no rate ($4: '$other', race-trial: '$mine')" >&2
            return 1
        fi
        rows+="$mine $other"$'\n'
    done
    printf %s "$rows" | awk -v n="$2" -v unit="$3" -f "$benches/ratio.awk"
}

# The rates in a record of race-trial's: the window's, and over the whole process' CPU time its
# operations up to the last sample.
rates_of_a_trial() { # operations in a unit
    sed -n 's/.*"status":"ok".*"elapsed_s":\([0-9.e-]*\),"ops":\([0-9]*\),.*"user_s":\([0-9.e-]*\),"system_s":\([0-9.e-]*\),.*"ops":\([0-9]*\),"slots":[0-9nul]*}\].*/\1 \2 \3 \4 \5/p' |
        awk -v unit="$1" '{ print $2 / $1 / unit, $5 / ($3 + $4) / unit }'
}

# The rates in a record of the workload command, from the throughput that the program printed.
rates_of_a_command() { # seconds, what to multiply its throughput with, operations in a unit
    sed -n 's/.*"status":"ok".*"user_s":\([0-9.e-]*\),"system_s":\([0-9.e-]*\),.*"throughput","value":\([0-9.]*\).*/\1 \2 \3/p' |
        awk -v s="$1" -v by="$2" -v unit="$3" '{ print $3 * by / unit, $3 * by * s / ($1 + $2) / unit }'
}
