/** Tests that foreign texts do not become markup, and that their hidden characters can be seen. */
import { assert, describe, it } from "@effect/vitest"
import { foreign, foreignName, html, nothing } from "#domain/text/Html"

const hidden = (name: string) => `<span class="hidden-character" title="a character that cannot be seen">${name}</span>`

describe("html", () => {
  it("10.3 interpolated texts are escaped, between tags and in attributes", () => {
    const text = `<b title="x" id='y'>\`a\` & b</b>`
    assert.strictEqual(html`<p title="${text}">${text}</p>`.markup, `<p title="${escaped}">${escaped}</p>`)
    assert.strictEqual(html`${text}`.markup, escaped)
  })

  it("10.3 numbers, markup and lists of markup are interpolated unchanged, and absent values as nothing", () => {
    const items = ["a<", "b"].map((item) => html`<b>${item}</b>`)
    assert.strictEqual(html`<p>${items}</p>`.markup, "<p><b>a&lt;</b><b>b</b></p>")
    assert.strictEqual(html`<p>${7}${undefined}${nothing}${html`<hr />`}</p>`.markup, "<p>7<hr /></p>")
    assert.strictEqual(html`<hr />`.markup, "<hr />")
    assert.strictEqual(html`${0}`.markup, "0")
  })
})

const escaped = "&lt;b title=&quot;x&quot; id=&#39;y&#39;&gt;&#96;a&#96; &amp; b&lt;/b&gt;"

describe("foreign", () => {
  it("10.3 a foreign text is escaped, and its direction of writing is isolated", () => {
    assert.strictEqual(foreign("<b>").markup, "<bdi>&lt;b&gt;</bdi>")
    assert.strictEqual(foreign("").markup, "<bdi></bdi>")
  })

  it("10.3 hidden characters are shown by their code points, and repetitions are counted", () => {
    assert.strictEqual(foreign("a\u202eb").markup, `<bdi>a${hidden("U+202E")}b</bdi>`)
    assert.strictEqual(foreign("\u200b\u200b\u200ba").markup, `<bdi>${hidden("U+200B × 3")}a</bdi>`)
    assert.strictEqual(
      foreign("\u200b\u200b\u202e\u200b").markup,
      `<bdi>${hidden("U+200B × 2")}${hidden("U+202E")}${hidden("U+200B")}</bdi>`
    )
    assert.strictEqual(foreign("\u200ba\u200b").markup, `<bdi>${hidden("U+200B")}a${hidden("U+200B")}</bdi>`)
  })

  it("10.3 line feeds are hidden characters, unless lines may break", () => {
    assert.strictEqual(foreign("a\nb").markup, `<bdi>a${hidden("U+000A")}b</bdi>`)
    assert.strictEqual(foreign("a\nb\r", true).markup, `<bdi>a\nb${hidden("U+000D")}</bdi>`)
    assert.strictEqual(foreignName("a\nb").markup, `<bdi>a${hidden("U+000A")}b</bdi>`)
  })

  it("10.3 a foreign name is escaped, and can break after each run of its delimiters", () => {
    assert.strictEqual(
      foreignName("a_b-c.d/e:f__g_").markup,
      "<bdi>a_<wbr>b-<wbr>c.<wbr>d/<wbr>e:<wbr>f__<wbr>g_</bdi>"
    )
    assert.strictEqual(foreignName("<a>_&").markup, "<bdi>&lt;a&gt;_<wbr>&amp;</bdi>")
    assert.strictEqual(foreignName("plain").markup, "<bdi>plain</bdi>")
  })
})
