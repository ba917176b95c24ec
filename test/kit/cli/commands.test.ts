/** Tests the table of commands, and the output of `--version`. */
import { commands } from "#kit/cli/commands"
import * as Version from "#kit/Version"
import { assert, describe, it } from "@effect/vitest"
import * as CliOutput from "effect/cli/CliOutput"

describe("commands", () => {
  it.each(commands)("$name has the name and description of its command", async ({ description, load, name }) => {
    const command = await load()
    assert.deepStrictEqual([command.name, command.shortDescription], [name, description])
  })
})

describe("--version", () => {
  it.each([true, false])("prints the same as effect/cli, with colours: %s", (colors) => {
    const { formatVersion } = CliOutput.defaultFormatter({ colors })
    assert.strictEqual(Version.line(colors), formatVersion("toolguard", Version.version))
  })
})
