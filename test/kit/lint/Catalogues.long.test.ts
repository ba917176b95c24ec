/** Tests that every recorded catalogue is linted without a crash, and that well-maintained servers have few errors. */
import * as Lint from "#kit/lint/Lint"
import * as ListingFormats from "#kit/lint/reading/ListingFormats"
import * as ListingAnalysis from "#kit/lint/reading/ListingAnalysis"
import { byId, rules } from "#kit/lint/Rules"
import * as Settings from "#kit/lint/Settings"
import * as JsonPointer from "#domain/json/JsonPointer"
import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import { recordedData } from "../../support/data.ts"
import { random } from "../../support/JsonSchemaValues.ts"
import { needs } from "../../support/prerequisites.ts"
import { isWriting } from "#kit/lint/reading/WritingTools"
import { catalogues, count, lintText } from "./support.ts"

describe("the catalogues", needs(recordedData), () => {
  it("13.3 are linted, each finding with its rule, its tool and an existing place", () => {
    let tools = 0
    for (const [name, text] of catalogues()) {
      const document: unknown = JSON.parse(text)
      const listing = Result.getOrThrow(ListingFormats.read(document))
      tools += listing.tools.length
      assert.deepStrictEqual(listing.unreadable, [], name)
      for (const { message, pointer, rule, tool } of lintText(text).findings) {
        assert.isTrue(byId.has(rule))
        assert.isTrue(
          pointer.length === 0 || JsonPointer.valueAt(document, pointer) !== undefined,
          `${name} ${rule} ${pointer.join("/")}`
        )
        assert.isTrue(
          tool === undefined ? rule === "token-cost-list" : listing.tools.some((each) => each.name === tool)
        )
        assert.match(message, /^[A-Z`].*\.$/s)
        assert.notInclude(message, "\n")
        assert.isBelow(message.length, 320, message)
      }
    }
    assert.isAbove(tools, 500)
  })

  it("13.3 of well-maintained servers: each rule of severity error reports at most a tenth of the tools", () => {
    const texts = [...catalogues()].filter(([name]) => name.startsWith("npm-")).map(([, text]) => text)
    const findings = texts.flatMap((text) => lintText(text).findings)
    const tools = texts.reduce((sum, text) => sum + (JSON.parse(text) as ReadonlyArray<unknown>).length, 0)
    assert.isAbove(tools, 20)
    for (const { id, severity } of rules.filter(({ severity }) => severity === "error")) {
      const hit = new Set(findings.filter(({ rule }) => rule === id).map(({ tool }) => tool)).size
      assert.isAtMost(hit, tools / 10, `${id} is a rule of severity ${severity}`)
    }
  })

  it("13.3 have the same findings with their tools in reverse order, except for rules that compare tools", () => {
    const comparing = new Set(["name-collision", "name-near-duplicate", "description-duplicate", "pagination-spelling"])
    const messages = (tools: ReadonlyArray<unknown>) =>
      lintText(JSON.stringify(tools))
        .findings.filter(({ rule }) => !comparing.has(rule))
        .map(({ message, rule, tool }) => `${tool} ${rule} ${message}`)
        .sort()
    for (const [name, text] of catalogues()) {
      const tools = JSON.parse(text) as ReadonlyArray<unknown>
      assert.deepStrictEqual(messages(tools.toReversed()), messages(tools), name)
    }
  })

  it("13.3 are linted without a crash after random replacements", () => {
    const next = random(7)
    const odd = [null, true, 0, -1.5, "", "x", [], {}, [[]], { type: "object" }, { $ref: "#" }, ["a", 1]]
    const broken = (value: unknown): unknown => {
      if (next() < 0.03) return odd[Math.floor(next() * odd.length)]
      if (Array.isArray(value)) return value.map(broken)
      if (typeof value !== "object" || value === null) return value
      return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, broken(each)]))
    }
    for (const [, text] of catalogues()) {
      const listing = ListingFormats.read(broken(JSON.parse(text)))
      if (Result.isSuccess(listing))
        Lint.run([{ listing: ListingAnalysis.read(listing.success, count), suppressions: [] }], Settings.defaults)
    }
  })

  it("14 have exactly the reviewed tools that count as writing only because of their descriptions", () => {
    const found = [...catalogues().values()].flatMap((text) => {
      const listing = Result.getOrThrow(ListingFormats.read(JSON.parse(text)))
      return ListingAnalysis.read(listing, count).subjects.filter((subject) => {
        const silent = { ...subject, tool: { ...subject.tool, description: "" } }
        return isWriting(subject) !== isWriting(silent)
      })
    })
    assert.deepStrictEqual([...new Set(found.map(({ tool }) => tool.name))].sort(), [
      "AclApi.add_mapping",
      "ChaFod",
      "CustomDashboardsApi.add_custom_dashboard",
      "EventSettingsApi.create_mobile_app_alert_config",
      "Homes_2_ScheduleVisit",
      "Messaging_1_ShareLocation",
      "RideSharing_2_GetRide",
      "Services_1_BookAppointment",
      "Services_4_BookAppointment",
      "Trains_1_GetTrainTickets",
      "acl_api.delete_mapping",
      "apdex_settings_api.ApdexSettingsApi.create_apdex_configuration",
      "archival_memory_insert",
      "calendar_event_create",
      "canvas",
      "close_project",
      "core_memory_replace",
      "interact_with_process",
      "releases_api.ReleasesApi.post_release",
      "repository_api.update_repository",
      "sli_settings_api.SLISettingsApi.delete_sli_config",
      "usergroups_users_update",
      "vex_api.VexApi.upload_vex1",
      "website_configuration_api.WebsiteConfigurationApi.rename_website"
    ])
    assert.isTrue(found.every(isWriting))
  })
})
