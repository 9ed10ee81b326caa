// SPDX-License-Identifier: Apache-2.0
package openremap

import chisel3._
import scala.language.implicitConversions

/** The clients of a shared unit, by name.
  *
  * A unit with a Vec of equal ports has an object of this kind, which lists the users of the ports:
  * {{{
  * object Client extends Clients { val write, trim = Value }
  * val client = Client.ports(Flipped(new SeqPort(p)))   // in the unit's bundle
  * seq.io.client(SeqCounter.Client.trim) <> trim.io.seq // in OpenRemapTop
  * }}}
  * The list gives the number of ports and their order, which arbiters with fixed or rotating priority use. Firtool
  * refuses a port that is not wired.
  */
abstract class Clients extends Enumeration {
  def size: Int = maxId

  /** One port for each client. */
  def ports[T <: Data](port: => T): Vec[T] = Vec(size, port)
}

object Clients {

  /** A client's place in the Vec of ports. */
  implicit def index(client: Enumeration#Value): Int = client.id
}
