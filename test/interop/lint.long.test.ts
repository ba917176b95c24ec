/**
 * Tests the linter with programs of other projects: its SARIF log is valid according to the official schema and to
 * Microsoft's validator with the rules of GitHub's code scanning, and it lists the tools of an official MCP server.
 */
import { assert, describe, it } from "@effect/vitest"
import { Ajv2020 } from "ajv/dist/2020.js"
import { spawnSync } from "node:child_process"
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { data, recordedData } from "../support/data.ts"
import { needs, type Prerequisite } from "../support/prerequisites.ts"
import { toolguard } from "../kit/cli/toolguard.ts"
import { installed, packages } from "./packages.ts"

const validator = join(installed, "@microsoft/sarif-multitool-linux")
const memory = join(installed, "@modelcontextprotocol/server-memory/dist/index.js")

const platform = `${process.platform} on ${process.arch}`

/** The validator runs on one platform only. */
const validatorsPlatform: Prerequisite = {
  absent: platform === "linux on x64" ? undefined : `it needs Linux on x64, and this is ${platform}`,
  isRequired: false
}

/** Returns the SARIF log of the catalogues of well-maintained servers and of the example's guarded tools. */
const sarif = async (): Promise<string> => {
  const folder = join(data, "catalogues")
  const files = readdirSync(folder)
    .filter((file) => file.startsWith("npm-"))
    .map((file) => join(folder, file))
  const { code, stdout } = await toolguard(["lint", ...files, "examples/orders/Tools.ts", "--sarif"])
  assert.strictEqual(code, 0)
  return stdout
}

/** Returns the ids of the rules that the validator reports. */
const validated = (log: string): ReadonlyArray<string> => {
  const folder = mkdtempSync(join(tmpdir(), "toolguard-sarif-"))
  try {
    const program = join(validator, "Sarif.Multitool")
    chmodSync(program, 0o755)
    writeFileSync(join(folder, "log.sarif"), log)
    const output = join(folder, "found.sarif")
    const args = ["validate", join(folder, "log.sarif"), "--rule-kind", "Sarif;Gh;Ghas", "--output", output]
    const env = { ...process.env, DOTNET_SYSTEM_GLOBALIZATION_INVARIANT: "1" }
    const { error, status } = spawnSync(program, args, {
      env,
      encoding: "utf8",
      timeout: 60_000,
      killSignal: "SIGKILL"
    })
    assert.isUndefined(error)
    assert.strictEqual(status, 0)
    // SARIF is untyped
    const { runs } = JSON.parse(readFileSync(output, "utf8").replace(/^\ufeff/, "")) as any
    return runs[0].results.map(({ ruleId }: any) => ruleId)
  } finally {
    rmSync(folder, { recursive: true })
  }
}

describe(
  "toolguard lint --sarif",
  needs(validatorsPlatform, packages("@microsoft/sarif-multitool-linux"), recordedData),
  () => {
    it("13.3 prints a log that satisfies the schema of SARIF 2.1.0", async () => {
      const schema = JSON.parse(readFileSync(join(validator, "sarif-2.1.0.json"), "utf8").replace(/^\ufeff/, ""))
      const validate = new Ajv2020({ strict: false, validateFormats: false, allErrors: true }).compile(schema)
      const log = JSON.parse(await sarif())
      validate(log)
      assert.deepStrictEqual(validate.errors ?? [], [])
      assert.isAbove(log.runs[0].results.length, 10)
      log.runs[0].results[0].level = "info"
      assert.isFalse(validate(log), "the schema rejects a wrong level")
    })

    it("13.3 prints a log that GitHub's code scanning accepts according to Microsoft's validator", async () => {
      const log = await sarif()
      // SARIF2005 reports that the log has no link to a page of the tool
      assert.deepStrictEqual(validated(log), ["SARIF2005"])
      const without = JSON.parse(log)
      delete without.runs[0].results[0].locations
      assert.include(validated(JSON.stringify(without)), "GH1015", "the validator rejects a missing location")
    })
  }
)

describe("toolguard lint --mcp", needs(packages("@modelcontextprotocol/server-memory")), () => {
  it("13.3 lists the tools of an official server", async () => {
    const { code, stderr, stdout } = await toolguard(["lint", "--json", "--mcp", "--", process.execPath, memory])
    assert.deepStrictEqual({ code, stderr }, { code: 0, stderr: "" })
    const { files, summary } = JSON.parse(stdout)
    assert.deepStrictEqual(
      files[0].tools.map(({ name }: any) => name),
      [
        "create_entities",
        "create_relations",
        "add_observations",
        "delete_entities",
        "delete_observations",
        "delete_relations",
        "read_graph",
        "search_nodes",
        "open_nodes"
      ]
    )
    assert.strictEqual(summary.error, 0)
    assert.include(
      files[0].findings.map(({ rule }: any) => rule),
      "idempotency-key"
    )
  })
})
