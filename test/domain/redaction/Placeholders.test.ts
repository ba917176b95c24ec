/** Tests which texts stand in for a secret. */
import { assert, describe, it } from "@effect/vitest"
import { isAboutField, isPlaceholder } from "#domain/redaction/Placeholders"

const placeholders: ReadonlyArray<string> = [
  "xxx",
  "xx",
  "***",
  "••••",
  "***abcd",
  "x.x",
  "---",
  "null",
  "",
  "  ",
  "x".repeat(200),
  "$PASSWORD",
  "$pw",
  "$this->password",
  "${DB.PASSWORD}",
  "${{ secrets.X }}",
  '{{ vault "x" }}',
  "$(cat /x)",
  "#{ENV['X']}",
  "%PASSWORD%",
  "%(pw)s",
  "%s",
  "<%= x %>",
  "process.env.X",
  "env:X",
  "config['x']",
  "arn:aws:iam::1:x",
  "op://a/b",
  "projects/a/secrets/b",
  "https://h/x",
  "~/x.pem",
  "/etc/secrets/x",
  "your-api-key",
  "Enter your password",
  "enterYourPassword",
  " password ",
  "password!",
  ":password",
  "@password",
  "[password]",
  "<your token>",
  "{{password}}",
  "{password}",
  "(none)",
  "password ".repeat(12).trim()
]
const secrets: ReadonlyArray<string> = [
  "***abcde",
  "https://u@h/x",
  "./x.foo",
  "[hunter]",
  "<hunter>",
  "{hunter}",
  "(hunter)",
  ":hunter",
  "password hunter",
  "a_b",
  "what’s password",
  "password ".repeat(13).trim(),
  "x".repeat(201)
]

describe("a placeholder", () => {
  for (const text of placeholders)
    it(`4.15 is ${JSON.stringify(text.slice(0, 40))}`, () => assert.isTrue(isPlaceholder(text)))
  for (const text of secrets)
    it(`4.15 is not ${JSON.stringify(text.slice(0, 40))}`, () => assert.isFalse(isPlaceholder(text)))
})

describe("a sentence about a field", () =>
  it("4.15 has a word of forms and another word", () => {
    for (const text of ["is too short", "Your RapidAPI key", "must match", "tokens expired"])
      assert.isTrue(isAboutField(text), text)
    for (const text of ["password", "hunter two", "correct horse", "short too"])
      assert.isFalse(isAboutField(text), text)
  }))
