/** Tests that the time of redaction grows linearly for texts of 200 kB that are made to be slow. */
import * as Redaction from "#domain/redaction/Redaction"
import { assert, describe, it } from "@effect/vitest"
import { growth } from "../../support/cpuTime.ts"

const finders = Redaction.makeFinders()

describe("Hostile texts", () => {
  const units = [
    "password:\n",
    "password: |\n ",
    "password%3D",
    "password%2525",
    "&quot;password&quot;:&quot;",
    `{"name":"a","value":"`,
    `"value\\"`,
    "value=name=",
    "machine a login b password ",
    "bob/a@b:1521",
    "@//",
    "+ASt",
    "+ASt ",
    "A+ASt ",
    "response=",
    "_auth=",
    "$2b$12$",
    "$6$a",
    `"auth":"Aa1`,
    "Private-Lines: 1\n",
    `Private-Lines: 1\n${"a".repeat(90)}\n`,
    ":5432:a:a:",
    "IQoJb3JpZ2lu",
    "SharedAccessSignature ",
    "devops ",
    "x-amz-signature=",
    "signature%3d",
    "://a:b/",
    "://a:b/c@",
    "Bearer aB",
    "authorization: bearer a",
    "\u200b",
    "g\u200bh\u200bp\u200b_\u200b",
    "mte",
    "1//0",
    "Пароль: 1"
  ]
  it("4.15 reads 200 kB of hostile texts in linear time", () => {
    for (const unit of units) {
      const redacting = (length: number) => {
        const text = unit.repeat(Math.ceil(length / unit.length))
        return () => {
          Redaction.redactSecrets(finders, text, true)
          Redaction.redactSecrets(finders, text, false)
        }
      }
      assert.isBelow(growth(redacting(20_000), redacting(200_000)), 35, unit)
    }
  })
})
