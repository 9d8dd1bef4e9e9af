# Where the build tools are and which versions are used. Sourced by the other scripts in this folder, from the project's root.
#
# Each version has one place: wasm-bindgen's is Cargo.toml (command and library must match exactly), Trunk's and
# wasm-opt's is Trunk.toml. Built tools live in one folder per version outside the project, so that every clone shares
# them; CRASHPOINT_TOOLS moves that folder.

first_match() { sed -n "s/$1/\\1/p" "$2" | head -n 1; }
TRUNK_VERSION=$(first_match '^trunk-version *= *"\^\([0-9.]*\)".*' Trunk.toml)
BINARYEN_VERSION=$(first_match '^wasm_opt *= *"version_\([0-9]*\)".*' Trunk.toml)
BINDGEN_VERSION=$(first_match '^wasm-bindgen *= *"=\([0-9.]*\)".*' Cargo.toml)
if [ -z "$TRUNK_VERSION" ] || [ -z "$BINARYEN_VERSION" ] || [ -z "$BINDGEN_VERSION" ]; then
    echo "tools/env.sh: no exact version of trunk and wasm-opt in Trunk.toml, or of wasm-bindgen in Cargo.toml" >&2
    exit 1
fi

TOOLS=${CRASHPOINT_TOOLS:-${XDG_CACHE_HOME:-$HOME/.cache}/crashpoint}
TRUNK_ROOT=$TOOLS/trunk-$TRUNK_VERSION
BINDGEN_ROOT=$TOOLS/wasm-bindgen-$BINDGEN_VERSION
BINARYEN_ROOT=$TOOLS/binaryen-$BINARYEN_VERSION
PATH=$TRUNK_ROOT/bin:$BINDGEN_ROOT/bin:$BINARYEN_ROOT/node_modules/.bin:$PATH
export PATH

# Trunk 0.21 reads NO_COLOR as the value of a yes/no option and stops at `NO_COLOR=1`.
unset NO_COLOR
