# shellcheck shell=bash
# A root of Debian unstable, for compilers and libraries newer than Debian 12 has. Sourced by tests/matrix/leg.

# chroot and debootstrap live where users do not look.
PATH=$PATH:/usr/sbin:/sbin

unstable_cache=${XDG_CACHE_HOME:-${HOME:-$build_dir}/.cache}/riffle
unstable_root=$unstable_cache/unstable
unstable_versions=$build_dir/unstable-versions.txt

# libllama is what llama_exact is compared with; Eigen is for the tests of batch and the comparisons; Mesa is a second driver
# for the leg gpu, and mesa-drm-shim plays cards that are not there. A change here makes a new root.
unstable_packages='g++ clang cmake ninja-build ccache googletest libfmt-dev nlohmann-json3-dev libllama-dev libeigen3-dev'
unstable_packages+=' llama.cpp-tools llama.cpp-tests libvulkan-dev mesa-vulkan-drivers mesa-drm-shim vulkan-validationlayers spirv-tools'

# A root is complete when it says what it was made with: an interrupted one never gets so far.
unstable_root_is_complete() {
    [[ -f $unstable_root/riffle-packages ]] && [[ $(<"$unstable_root/riffle-packages") == "$unstable_packages" ]]
}

# The Debian mirror this machine itself uses, however its sources are written down.
debian_mirror() {
    # shellcheck disable=SC2016 # apt's own variable
    apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' 'Origin: Debian' 'Label: Debian' | sed -n 1p
}

# The root is one for all checkouts of this user: one leg at a time.
lock_unstable_root() {
    mkdir -p "$unstable_cache"
    exec 9>"$unstable_cache/lock"
    flock 9
}

can_chroot() {
    as_root chroot / true 2>/dev/null
}

# Whether the legs in that root will run, as far as can be told ahead.
will_have_unstable_root() {
    can_become_root && can_chroot || return
    unstable_root_is_complete || mirror_of_unstable >/dev/null
}

# The mirror that a root can be made from, or what is in the way, and 1.
mirror_of_unstable() {
    local mirror
    mirror=${RIFFLE_DEBIAN_MIRROR:-$(debian_mirror)}
    if [[ -z $mirror ]]; then # container images come without package lists, and apt without lists knows no origins
        as_root apt-get update >&2 && mirror=$(debian_mirror)
    fi
    if [[ -z $mirror ]]; then
        echo "apt knows no Debian mirror here"
        return 1
    fi
    if ! reaches "${mirror%/}/dists/sid/InRelease"; then
        echo "the mirror $mirror does not answer, or has no Debian unstable"
        return 1
    fi
    echo "$mirror"
}

make_unstable_root() {
    can_become_root || skip "making a root needs root, or sudo without a password"
    can_chroot || skip "this machine does not allow chroot"
    lock_unstable_root
    if [[ -z ${RIFFLE_FRESH_ROOT:-} ]] && unstable_root_is_complete; then
        echo "in the cache: $unstable_root"
        return
    fi
    need "/usr/sbin/debootstrap debootstrap"
    need "/usr/share/keyrings/debian-archive-keyring.gpg debian-archive-keyring"
    need "gpgv|sqv gpgv"

    local mirror
    mirror=$(mirror_of_unstable) || skip "$mirror"

    echo "making $unstable_root from $mirror"
    as_root rm -rf "$unstable_root.partial"
    if ! as_root debootstrap --variant=minbase sid "$unstable_root.partial" "$mirror"; then
        tail -n 10 "$unstable_root.partial/debootstrap/debootstrap.log" || true
        return 1
    fi
    # The same mirror needs the same settings: a proxy, or a blind eye on the age of a snapshot.
    apt-config dump Acquire | { grep -E '^Acquire::(https?::Proxy( |::)|Check-)' || true; } |
        as_root tee "$unstable_root.partial/etc/apt/apt.conf.d/90riffle-host"
    in_root "$unstable_root.partial" sh -c "
        apt-get update &&
        DEBIAN_FRONTEND=noninteractive apt-get install --yes --no-install-recommends $unstable_packages &&
        apt-get clean"
    as_root tee "$unstable_root.partial/riffle-packages" <<<"$unstable_packages" >/dev/null
    as_root rm -rf "$unstable_root"
    as_root mv "$unstable_root.partial" "$unstable_root"
}

reaches() {
    local file status=0
    file=$(mktemp)
    /usr/lib/apt/apt-helper download-file "$1" "$file" >/dev/null 2>&1 || status=$?
    rm -f "$file"
    return $status
}

# in_root ROOT COMMAND...: in a mount namespace of its own, so that no mount is left behind whatever happens. Where even
# root may not mount, the compilers and tests can do without.
in_root() {
    local root=$1
    shift
    if as_root unshare --mount true 2>/dev/null; then
        # shellcheck disable=SC2016 # expanded by the inner shell
        as_root unshare --mount sh -c '
            mount -t proc proc "$1/proc" 2>/dev/null
            mount --rbind /dev "$1/dev" 2>/dev/null # with its terminals
            exec chroot "$@"' sh "$root" "$@"
    else
        as_root chroot "$root" "$@"
    fi
}

# The versions are what a result in this root means; they change whenever a new root is made.
record_unstable_versions() {
    mkdir -p "$build_dir"
    {
        echo "with: Debian unstable of $(date -u -r "$unstable_root/riffle-packages" +%Y-%m-%d)"
        # shellcheck disable=SC2086,SC2016 # a list of packages, and dpkg's own variables
        in_root "$unstable_root" dpkg-query -W -f '${Package} ${Version}\n' $unstable_packages
        in_root "$unstable_root" sh -c 'g++ --version | head -n 1; clang++ --version | head -n 1; cmake --version | head -n 1'
    } | tee "$unstable_versions"
}

# in_unstable_root LEG: runs that leg of the matrix in the root, on a copy of this source tree. It is built anew: a
# precompiled header that is still there becomes part of what the next one is made from, and then nothing compiled before
# is found in the compiler cache again. What only multiplies types is left to the compilers outside.
in_unstable_root() {
    ! is_debian_unstable || skip "this machine is Debian unstable"
    can_become_root || skip "chroot needs root, or sudo without a password"
    lock_unstable_root
    unstable_root_is_complete || skip "there is no root: see unstable-root"

    as_root rm -rf "$unstable_root/riffle"
    as_root mkdir -p "$unstable_root/riffle"
    local within=${build_dir#"$source_dir"/} # where it lies in the tree, which is copied without it
    tar -C "$source_dir" --exclude=./.build --exclude=./build --exclude="./$within" --exclude=./.git --exclude=./shared \
        -cf - . |
        as_root tar -C "$unstable_root/riffle" --no-same-owner -xf -
    [[ -z ${RIFFLE_RECORDED:-} ]] || as_root cp "$RIFFLE_RECORDED" "$unstable_root/riffle/.recorded"
    local tests=${RIFFLE_TESTS_FROM_OUTSIDE:-} # a program that was compiled outside, to be run here
    [[ ! -f $tests ]] || as_root cp "$tests" "$unstable_root/riffle/.${tests##*/}"
    local model=()
    if [[ -n ${RIFFLE_LLAMA_MODEL:-} ]]; then
        as_root cp "$RIFFLE_LLAMA_MODEL" "$unstable_root/riffle/.model.gguf"
        model=(RIFFLE_{LLAMA,EXAMPLE}_MODEL=/riffle/.model.gguf)
    fi
    in_root "$unstable_root" env -i RIFFLE_JOBS="$jobs" \
        RIFFLE_COMPILER_CACHE="${RIFFLE_COMPILER_CACHE:-}" RIFFLE_COMPARE="${RIFFLE_COMPARE:-}" RIFFLE_ALL_TYPES=OFF \
        "${model[@]}" RIFFLE_ROOMS="${RIFFLE_ROOMS:-}" ${RIFFLE_AFFECTED+RIFFLE_AFFECTED="$RIFFLE_AFFECTED"} HOME=/root \
        PATH=/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C.UTF-8 /riffle/tests/matrix/leg "$1"
}
