# Root file systems of Debian 12 for the tests of packages; to be sourced. Needs root, debootstrap and Debian's packages.

# open_root BASE: copies the root file system BASE to $root. At the exit of the script, its processes are ended and the copy removed.
open_root() {
    root=$(mktemp -d)
    # Begins a command in the root. A process in the background begins with this, not with the function `inside`: its id is then that of the command.
    within=(chroot "$root" "${environment[@]}")
    passed=0
    trap close_root EXIT
    cp -a "$1/." "$root"
    cp /etc/resolv.conf "$root/etc/resolv.conf"
    mount -t proc proc "$root/proc"
    mkdir -p "$root/packages"
}

# Each step runs also if another fails. /proc is detached before the folder is removed.
close_root() {
    set +e
    kill -9 $(jobs -p)
    wait
    mountpoint -q "$root/proc" && umount -l "$root/proc"
    rm -rf --one-file-system "$root"
} 2>/dev/null

fail() {
    echo "FAILED: $1" >&2
    [ ! -e "$root/packages/log" ] || tail -n 30 "$root/packages/log" >&2
    exit 1
}
# check TEXT COMMAND...: fails with the text if the command fails.
check() { "${@:2}" >/dev/null 2>&1 || fail "$1"; passed=$((passed + 1)); }
environment=(/usr/bin/env -i HOME=/root PATH=/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C.UTF-8 DEBIAN_FRONTEND=noninteractive)
inside() { "${within[@]}" "$@"; }
install_inside() {
    inside sh -c "apt-get install -y -qq --no-install-recommends $*" </dev/null >"$root/packages/log" 2>&1 || fail "apt-get install $*"
}

# start_collector COMMAND...: runs a collector, with its process in $collector and its port in $port.
start_collector() {
    "$@" --port "${port:-0}" >"$root/packages/address" 2>"$root/packages/log" &
    collector=$!
    for _ in $(seq 200); do [ -s "$root/packages/address" ] && break; sleep 0.1; done
    port=$(sed -n 's/.*"port":\([0-9]*\).*/\1/p' "$root/packages/address")
    [ -n "$port" ] || fail "the collector does not start: $*"
}
stop_collector() {
    kill "$collector"
    wait "$collector" || true
}
milliseconds() { echo $(($(date +%s%N) / 1000000)); }
free_port() { python3 -c 'import socket; server = socket.socket(); server.bind(("127.0.0.1", 0)); print(server.getsockname()[1])'; }

# open_page URL NAME: opens the page of a collector, which may start later, in a browser; await_page returns when it shows an event of the name.
open_page() {
    coproc page { "${BROWSER_PYTHON:?}" Tests/Packages/first-event "$1" "$2" 600 2>&1; }
    local line
    read -r line <&"${page[0]}"
    [ "$line" = ready ] || fail "the browser: $line $(cat <&"${page[0]}")"
}
await_page() {
    local line=
    read -r line <&"${page[0]}" || true
    [ "$line" = shown ] || fail "the page does not show the event: $line $(tail -n 5 <&"${page[0]}")"
    passed=$((passed + 1))
}
