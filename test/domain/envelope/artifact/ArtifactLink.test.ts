/** Tests which texts are links to stored results. */
import * as ArtifactLink from "#domain/envelope/artifact/ArtifactLink"
import { assert, describe, it } from "@effect/vitest"

const id = "00112233445566778899aabbccddeeff"

describe("ArtifactLink", () => {
  it("4.14 reads the id that a link has, with and without the scheme", () => {
    assert.strictEqual(ArtifactLink.urlOf(id), `artifact://${id}`)
    assert.strictEqual(ArtifactLink.idOf(ArtifactLink.urlOf(id)), id)
    assert.strictEqual(ArtifactLink.idOf(id), id)
  })

  it.each([
    `artifact://${id}0`,
    `artifact://0${id}`,
    `artifact://${id.slice(1)}`,
    `artifact://${id.slice(1)}g`,
    `artifact://${id.toUpperCase()}`,
    `artifact://${"x".repeat(32)}`,
    "artifact://0",
    `${id}artifact://`,
    `https://${id}`,
    ""
  ])("4.14 %s is not a link", (url) => {
    assert.isUndefined(ArtifactLink.idOf(url))
    assert.isFalse(ArtifactLink.isLink(url))
  })

  it("4.14 a link has the scheme, and an envelope that has one is found by its text", () => {
    assert.isTrue(ArtifactLink.isLink(`artifact://${id}`))
    assert.isFalse(ArtifactLink.isLink(id))
    assert.isTrue(ArtifactLink.isLinked(JSON.stringify({ resource_url: ArtifactLink.urlOf(id) })))
    assert.isFalse(ArtifactLink.isLinked(JSON.stringify({ url: ArtifactLink.urlOf(id) })))
  })
})
