// SPDX-License-Identifier: Apache-2.0
//
// Build of the controller RTL (Mill 0.12.3). `./openremap build` and `./openremap test` use it. By hand:
//   mill hw.compile                            compile the generator
//   mill hw.test.test                          Scala tests (ChiselSim runs Verilator, which must be on PATH)
//   mill hw.emit --top NAME --out DIR          SystemVerilog of one top
//   mill hw.reformat, hw.test.reformat         format the sources (checkFormat: check only)
import mill._
import mill.scalalib._
import mill.scalalib.scalafmt.ScalafmtModule

object v {
  val scala     = "2.13.16" // the last release line with a Chisel compiler plugin
  val chisel    = "7.14.0"  // fetches firtool 1.155.0 from Maven Central
  val scalatest = "3.2.19"  // the version that ChiselSim's test traits are built for
  // scalafmt reads its version from .scalafmt.conf.
}

object hw extends ScalaModule with ScalafmtModule {
  def scalaVersion = v.scala

  def ivyDeps              = Agg(ivy"org.chipsalliance::chisel:${v.chisel}")
  def scalacPluginIvyDeps  = Agg(ivy"org.chipsalliance:::chisel-plugin:${v.chisel}")
  def scalacOptions        = Seq(
    "-deprecation",
    "-feature",
    "-unchecked",
    "-language:reflectiveCalls",
    "-Xfatal-warnings",
    "-Xcheckinit",
    "-Xlint:infer-any",
    "-Ywarn-dead-code",
    "-Ywarn-unused:imports,locals,privates,patvars",
    "-Ymacro-annotations"
  )

  def sources   = T.sources(millSourcePath / "src")
  def mainClass = Some("openremap.Emit")

  /** Writes the SystemVerilog of one top: `mill hw.emit --top NAME --out DIR [--config NAME]`. */
  def emit(args: String*) = T.command { runMain("openremap.Emit", args: _*)() }

  // Uses scalatest's runner instead of Mill's: Mill 0.12.3's test runner artifact does not resolve from Maven Central,
  // and scalatest's runner writes the JUnit reports that the launcher counts.
  object test extends ScalaModule with ScalafmtModule {
    def scalaVersion        = hw.scalaVersion
    def moduleDeps          = Seq(hw)
    def ivyDeps             = Agg(ivy"org.scalatest::scalatest:${v.scalatest}")
    def scalacPluginIvyDeps = hw.scalacPluginIvyDeps
    def scalacOptions       = hw.scalacOptions
    def sources             = T.sources(millSourcePath)
    def mainClass           = Some("org.scalatest.tools.Runner")

    /** Runs every Spec. Arguments are the Runner's: `-s openremap.ParamsSpec`, `-z substring`, `-u DIR` (JUnit). */
    def test(args: String*) = T.command {
      mill.util.Jvm.runSubprocess(
        mainClass = "org.scalatest.tools.Runner",
        classPath = runClasspath().map(_.path),
        jvmArgs = forkArgs(),
        mainArgs = Seq("-R", compile().classes.path.toString, "-oDW") ++ args,
        workingDir = T.workspace
      )
    }
  }
}
