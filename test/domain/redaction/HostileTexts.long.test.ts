/** Tests that redaction takes linear time for texts of 30 kB and of 100 kB that are designed to be slow. */
import * as Redaction from "#domain/redaction/Redaction"
import { assert, describe, it } from "@effect/vitest"
import { growth } from "../../support/cpuTime.ts"

const finders = Redaction.makeFinders()

const failure = (text: string): string => Redaction.redactText(finders, text, [])
const result = (text: string): string => Redaction.redactSecrets(finders, text, false)

describe("Hostile texts", () => {
  it("4.15 does linear work for hostile texts", () => {
    const units = [
      "ey",
      "sk-",
      "token=",
      "password: ",
      '"token":"',
      "://a:b",
      "A0",
      "/srv/",
      "/app/a",
      "C:\\a ",
      "\n at ",
      'File "',
      "Traceback (most recent call last):",
      "-----BEGIN PRIVATE KEY-----",
      "kind: secret\ndata:\n",
      "curl -u a",
      "asana=",
      "authorization: ",
      "x-key: ",
      "s.a1",
      "ZXlK-",
      "q~",
      "key = a1",
      "#0 ",
      "1: a\n",
      "mysql -p",
      "\\",
      "-",
      "-----END",
      "\u200b/",
      "=/a.",
      "atlasv1"
    ]
    for (const unit of units) {
      const redacting = (length: number) => {
        const text = unit.repeat(Math.ceil(length / unit.length))
        return () => {
          failure(text)
          result(text)
        }
      }
      assert.isBelow(growth(redacting(3_000), redacting(30_000)), 35, unit)
    }
  })

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
    "Пароль: 1",
    `token="a`,
    `token='a\\'`,
    String.raw`token=\"a\\\"`,
    String.raw`token=\\"a`,
    String.raw`token=\\\"a"`,
    `token="""a"`,
    `token="a""b`,
    `token='a'"'"'`,
    `token="${"a".repeat(16)}\n`,
    `token='${"a".repeat(16)}\ntoken="${"a".repeat(16)}\n`,
    "token=a\\\n",
    "password: |\n  a1b2c3d4\n",
    "password: a1b2c3d4\n  password: |\n   a1b2c3d4\n",
    "X-Key: aB3xK9mQ2pL7vT5wZ8\n ",
    "cookie: sid=aB3xK9mQ2pL7vT5wZ8; ",
    `cookie: "a1; `,
    "-----BEGIN PRIVATE KEY-----\n> aB3xK9mQ2pL7vT5wZ8\n",
    "-----BEGIN%20PRIVATE%20KEY-----%0A",
    `curl -u "a:b`,
    "cat <<EOF\nDB_PASSWORD=correcthorse\n",
    "<<A DB_PASSWORD=correcthorse\n",
    "passwd <<EOF\nab\n",
    String.raw`kind: secret\ndata:\n a`,
    "echo 'ab passwd |",
    "echo ab | sudo -S ",
    "create user identified by 'abcd ",
    "set password for a = '"
  ]
  it("4.15 reads 100 kB of hostile texts in linear time", () => {
    for (const unit of units) {
      const redacting = (length: number) => {
        const text = unit.repeat(Math.ceil(length / unit.length))
        return () => {
          Redaction.redactSecrets(finders, text, true)
          Redaction.redactSecrets(finders, text, false)
        }
      }
      assert.isBelow(growth(redacting(10_000), redacting(100_000)), 35, unit)
    }
  })
})
