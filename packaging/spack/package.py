# Copyright 2026 The streamfold authors
#
# SPDX-License-Identifier: (Apache-2.0 OR MIT)

from spack_repo.builtin.build_systems.cargo import CargoPackage

from spack.package import *


class Streamfold(CargoPackage):
    """Reads event traces of parallel programs (OTF2, OTF 1, DFTracer, Chrome trace events, strace, GISTLOG) with any
    number of MPI ranks, and answers where time goes, who waits for whom, and what the files see."""

    # The address of the sources goes here when there is a public one; until then: spack dev-build streamfold@main
    license("Apache-2.0 OR MIT")

    version("main", branch="main")

    variant("mpi", default=True, description="Read with several ranks")
    variant("hdf5", default=True, description="Reports and event logs in HDF5")

    depends_on("rust@1.88:", type="build")
    depends_on("c", type="build", when="+mpi")
    depends_on("llvm+clang", type="build", when="+mpi")
    depends_on("mpi", when="+mpi")
    depends_on("hdf5+mpi", when="+hdf5+mpi")
    depends_on("hdf5~mpi", when="+hdf5~mpi")

    @property
    def build_args(self):
        features = ["cli", "png", "parquet", "mcp"]
        features += [name for name in ("mpi", "hdf5") if self.spec.satisfies(f"+{name}")]
        return ["--locked", "--no-default-features", "--features", ",".join(features)]

    def setup_build_environment(self, env):
        if self.spec.satisfies("+mpi"):
            env.set("MPICC", self.spec["mpi"].mpicc)
            env.set("LIBCLANG_PATH", self.spec["llvm"].prefix.lib)
        if self.spec.satisfies("+hdf5"):
            env.set("HDF5_DIR", self.spec["hdf5"].prefix)

    @run_after("install")
    def manual_and_completions(self):
        program = Executable(self.prefix.bin.streamfold)
        mkdirp(self.prefix.share.man.man1)
        program("generate", "man", self.prefix.share.man.man1)
        with working_dir(self.stage.path):
            mkdirp("completions")
            program("generate", "completions", "completions")
            for name, folder, to in (
                ("streamfold.bash", "bash-completion/completions", "streamfold"),
                ("_streamfold", "zsh/site-functions", "_streamfold"),
                ("streamfold.fish", "fish/vendor_completions.d", "streamfold.fish"),
            ):
                mkdirp(join_path(self.prefix.share, folder))
                install(join_path("completions", name), join_path(self.prefix.share, folder, to))

    def test_version(self):
        """the program runs"""
        Executable(self.prefix.bin.streamfold)("--version")
