// SPDX-License-Identifier: Apache-2.0
package openremap

import chisel3._
import java.lang.reflect.Modifier

/** Params, its presets, and the enumerations that cross a unit's border, as JSON. Test benches, models and the launcher
  * read it, so that no size and no code is written down twice.
  */
object Facts {
  private val enums: Seq[ChiselEnum] =
    Seq(
      FlashJobOp,
      IoOp,
      JournalOp,
      MapOp,
      NandClient,
      NandOp,
      NandRequestOp,
      NandStatus,
      RemapResult,
      SbState,
      Tiger4Op
    )

  /** One configuration:
    * `{"params": {name: number}, "enums": {name: {value: number}}, "limits": {name: number}, "flash": {name: number}}`.
    * `flash` is the layout of the benches' NandInDram.
    */
  def of(p: Params): String =
    s"{\"params\": ${json(sizes(p))},\n\"enums\": ${json(codes)},\n\"limits\": ${json(members(FirmwareLimits))}," +
      s"\n\"flash\": ${json(members(FlashLayout.ofBench(p)))}}\n"

  /** Everything: `{"default": name, "presets": {name: {name: number}}, "limits", "endpoint", "enums", "dramBoard",
    * "units": [name]}`.
    *
    * `endpoint` is the layout of BAR0, `dramBoard` that of DramBoard's DRAM.
    */
  def all(units: Seq[String]): String = {
    def lines(entries: Seq[(String, Any)]): String =
      entries.sortBy(_._1).map { case (name, value) => s"\"$name\": $value" }.mkString("{\n  ", ",\n  ", "\n}")
    s"""{
       |"default": "${Presets.default}",
       |"presets": ${json(Presets.all.toSeq.map { case (name, p) => name -> lines(sizes(p)) }, ",\n")},
       |"limits": ${lines(members(FirmwareLimits))},
       |"endpoint": ${lines(members(PcieParams))},
       |"enums": ${lines(codes)},
       |"dramBoard": ${lines(DramBoard.layout)},
       |"units": ${units.sorted.map(name => s"\"$name\"").mkString("[\n  ", ",\n  ", "\n]")}
       |}
       |""".stripMargin
  }

  /** What suits each of these flashes:
    * `[{"geometry": text, "params": {name: number}} or {"geometry", "refused": reason}]`.
    */
  def ofGeometries(texts: Seq[String]): String =
    texts
      .map { text =>
        val found =
          try s"\"params\": ${json(sizes(Presets.forFlash(Presets.parse(text))))}"
          catch { case e: IllegalArgumentException => s"\"refused\": ${quoted(e.getMessage)}" }
        s"{\"geometry\": ${quoted(text)}, $found}"
      }
      .mkString("[", ",\n", "]\n")

  private def sizes(p: Params): Seq[(String, Any)] = {
    val cache = members(p.mapCache).map { case (name, value) => s"mapCache${name.capitalize}" -> value }
    (members(p) ++ members(p.g) ++ members(p.k) ++ cache).distinct
  }

  private val numbers: Set[Class[_]] = Set(classOf[Int], classOf[Long], classOf[Boolean])

  private def members(of: Any): Seq[(String, Any)] = of.getClass.getDeclaredMethods.toSeq
    .filter(m => m.getParameterCount == 0 && numbers(m.getReturnType) && Modifier.isPublic(m.getModifiers))
    .filterNot(m => m.getName.contains("$") || Set("hashCode", "productArity")(m.getName))
    .map(m => m.getName -> m.invoke(of))

  private val Literal                   = """.*\((\d+)=(\w+)\)""".r // how an enumeration's value prints itself
  private def codes: Seq[(String, Any)] = enums.map { of =>
    val values = of.all.map(_.toString).map { case Literal(number, name) => name -> number }
    of.getClass.getSimpleName.stripSuffix("$") -> json(values)
  }

  private def json(entries: Seq[(String, Any)], between: String = ", "): String =
    entries.sortBy(_._1).map { case (name, value) => s"\"$name\": $value" }.mkString("{", between, "}")

  private def quoted(text: String): String =
    "\"" + text.flatMap { case c @ ('"' | '\\') => s"\\$c"; case c if c < ' ' => " "; case c => c.toString } + "\""
}
