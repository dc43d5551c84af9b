# Sourced by .ci/run and .ci/full: `step NAME` prints a heading with the wall time since the start and, in parentheses, the processor
# time of the commands that have ended; `check_tree` fails if the tree is not as it was before.

clock=$(mktemp)
trap 'rm -f "$clock"' EXIT

# The processor time of the commands that have ended, in whole seconds, as the variable `processor`.
read_processor_time() {
    times > "$clock" # Not in a subshell, which has times of its own.
    processor=$(awk 'NR == 2 { gsub(/[ms]/, " "); printf "%d", $1 * 60 + $2 + $3 * 60 + $4 }' "$clock")
}

# minutes SECONDS
minutes() { printf '%d:%02d' $(($1 / 60)) $(($1 % 60)); }

step() {
    read_processor_time
    printf '\n== %s (%s) %s\n' "$(minutes $SECONDS)" "$(minutes "$processor")" "$1"
}

tree=$(git status --porcelain)

# Prints what has changed in the tree since the start or the last call, and fails if something has.
check_tree() {
    local before=$tree
    tree=$(git status --porcelain)
    [ "$tree" != "$before" ] || return 0
    diff <(echo "$before") <(echo "$tree") || true
    echo "error: the checks have changed the tree (above: >). Tests write to temporary folders only." >&2
    return 1
}
