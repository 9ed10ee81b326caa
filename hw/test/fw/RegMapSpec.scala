// SPDX-License-Identifier: Apache-2.0
package openremap

import chisel3._
import org.scalatest.funspec.AnyFunSpec

class RegMapSpec extends AnyFunSpec {
  for ((name, registers) <- Seq("FwRegMap" -> FwRegMap.all, "Bar0Map" -> Bar0Map.all)) describe(name) {
    it("has no two registers at one address") {
      val taken = registers.flatMap(register => (0 until register.count).map(register.at(_) -> register.name))
      for ((address, users) <- taken.groupBy(_._1))
        assert(users.size == 1, f"at 0x$address%x: ${users.map(_._2).mkString(", ")}")
    }

    it("has reset values that fit a word") {
      for (register <- registers) assert(register.reset >= 0 && register.reset.bitLength <= 32, register.name)
    }
  }

  describe("RegInfo") {
    it("refuses what is no array of words") {
      intercept[IllegalArgumentException](RegInfo("r", addr = 2, count = 1, stride = 4, reset = 0))
      intercept[IllegalArgumentException](RegInfo("r", addr = 0, count = 0, stride = 4, reset = 0))
      intercept[IllegalArgumentException](RegInfo("r", addr = 0, count = 2, stride = 4, reset = 0).at(2))
    }

    it("finds its elements") {
      assert(RegInfo("r", addr = 0x40, count = 3, stride = 8, reset = 0).at(2) == 0x50)
    }
  }

  describe("RegField") {
    it("refuses bits outside the word, and a value wider than itself") {
      intercept[IllegalArgumentException](RegField(lsb = 31, width = 2, reset = 0))
      intercept[IllegalArgumentException](RegField(lsb = 0, width = 0, reset = 0))
      intercept[IllegalArgumentException](RegField(lsb = 4, width = 2, reset = 0).word(7.U))
    }
  }
}
