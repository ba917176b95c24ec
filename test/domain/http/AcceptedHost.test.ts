/** Tests which host names a server accepts. */
import { isAccepted } from "#domain/http/AcceptedHost"
import { assert, describe, it } from "@effect/vitest"
import { Option } from "effect"
import { Headers } from "effect/http"

const accepts = (address: string | undefined, host: string | undefined, hosts?: ReadonlyArray<string>) =>
  isAccepted(
    { headers: Headers.fromInput(host === undefined ? {} : { host }), remoteAddress: Option.fromUndefinedOr(address) },
    hosts
  )

const own = ["localhost", "localhost:3000", "LocalHost", "app.localhost:1", "127.0.0.1:80", "127.1.2.3", "[::1]:3000"]
const foreign = [
  "evil.example",
  "127.0.0.1.evil.example",
  "localhost.evil.example",
  "127.0.0.1:80:evil",
  "[::1].evil",
  "evil.example:127.0.0.1",
  "notlocalhost",
  "0.0.0.0",
  "",
  undefined
]

describe("AcceptedHost", () => {
  it("11.2 a request from this machine needs a name of this machine", () => {
    for (const address of ["127.0.0.1", "127.9.9.9", "::1", "::ffff:127.0.0.1"]) {
      for (const host of own) assert.isTrue(accepts(address, host), `${address} ${host}`)
      for (const host of foreign) assert.isFalse(accepts(address, host), `${address} ${host}`)
    }
  })

  it("11.2 a request from another machine, or without an address, may have any name", () => {
    for (const address of ["10.0.0.7", "2001:db8::1", undefined])
      for (const host of [...own, ...foreign]) assert.isTrue(accepts(address, host), `${address} ${host}`)
  })

  it("11.2 only the configured names are accepted, from any address", () => {
    for (const address of ["127.0.0.1", "10.0.0.7", undefined]) {
      assert.isTrue(accepts(address, "API.example.com:443", ["api.example.com"]))
      assert.isFalse(accepts(address, "localhost", ["api.example.com"]))
      assert.isFalse(accepts(address, "api.example.com", []))
    }
  })
})
