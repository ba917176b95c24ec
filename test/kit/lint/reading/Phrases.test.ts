/** Tests phrases and words that are recognised in descriptions, with counter-examples. */
import { saysWhen, saysWhenNot } from "#kit/lint/reading/Phrases"
import { accessOf, isVerb, leadingPlainVerb, saysAccess } from "#kit/lint/reading/Verbs"
import { isEnglish, snakeCase, stemsOf, wordsOf } from "#kit/lint/reading/EnglishWords"
import { assert, describe, it } from "@effect/vitest"

describe("words", () => {
  it("13.3 of a name are separated by capitals, underscores, hyphens and dots", () => {
    for (const name of ["search_orders", "search-orders", "searchOrders", "SearchOrders", "search.orders"]) {
      assert.deepStrictEqual(wordsOf(name), ["search", "orders"])
    }
    assert.deepStrictEqual(wordsOf("getHTTPStatus"), ["get", "http", "status"])
    assert.deepStrictEqual(wordsOf("_v2__x"), ["v2", "x"])
    assert.deepStrictEqual(wordsOf("…"), [])
    assert.strictEqual(snakeCase("get-HTTPStatus"), "get_http_status")
  })

  it("13.3 lose the endings of verbs", () => {
    for (const [word, stem] of [
      ["returns", "return"],
      ["searches", "search"],
      ["applies", "apply"],
      ["deleted", "delete"],
      ["copying", "copy"],
      ["removing", "remove"],
      ["getting", "get"]
    ] as const) {
      assert.include(stemsOf(word), stem)
    }
  })

  it("13.3 are recognised as English or not", () => {
    for (const text of ["Gets the weather.", "Current weather", "List of files in a folder", "Search"]) {
      assert.isTrue(isEnglish(text), text)
    }
    for (const text of [
      "查询余票信息",
      "Lista todas los municipios de una provincia con sus datos",
      "Gibt alle Bestellungen eines Kunden zurück",
      "L'état courant du colis",
      "Get the list. Devuelve todos los pedidos del cliente indicado con detalles.",
      "123"
    ]) {
      assert.isFalse(isEnglish(text), text)
    }
  })
})

describe("verbs", () => {
  it("13.3 are recognised in their base form, with their access", () => {
    for (const verb of ["search", "create", "delete", "convert", "toggle", "echo", "gzip", "navigate", "is"]) {
      assert.isTrue(isVerb(verb), verb)
    }
    for (const noun of ["weather", "customer", "stock", "recent", "directory", "user", "http"]) {
      assert.isFalse(isVerb(noun), noun)
    }
    assert.deepStrictEqual(["fetches", "calculates", "books", "deletes", "removed", "does"].map(accessOf), [
      "read",
      "read",
      "write",
      "destructive",
      "destructive",
      undefined
    ])
    assert.strictEqual(leadingPlainVerb("getuser"), "get")
    assert.strictEqual(leadingPlainVerb("getup"), undefined)
  })

  it("13.3 suggest an access if they are used as verbs", () => {
    for (const text of [
      "Gets the weather.",
      "This endpoint returns all orders",
      "Allows you to create an order",
      "The current weather. Use it to check the forecast",
      "Opens and reads a file",
      "Temporarily suspends the processing of heartbeats",
      "Preheats the oven"
    ]) {
      assert.isTrue(saysAccess(text), text)
    }
    for (const text of ["Current weather data", "A tool for weather", "Latest market news"]) {
      assert.isFalse(saysAccess(text), text)
    }
  })
})

describe("descriptions", () => {
  it("13.3 say when to use a tool", () => {
    for (const text of [
      "Use this when you need order ids.",
      "Useful for trip planning.",
      "Call it before checkout.",
      "Should be used to find files.",
      "Shows a chart to compare values.",
      "When the user asks for the weather, this gets it."
    ]) {
      assert.isTrue(saysWhen(text), text)
    }
    for (const text of [
      "Gets one order.",
      "Gets the orders of a customer by id.",
      'This is the subfunction for tool "x", you can use this tool.',
      "Search for hotels in a city, for example Paris."
    ]) {
      assert.isFalse(saysWhen(text), text)
    }
  })

  it("13.3 say when not to use a tool", () => {
    for (const text of [
      "Not for order details.",
      "Use search_orders instead.",
      "Only works within allowed directories.",
      "DEPRECATED: see read_text_file.",
      "Do not call it twice."
    ]) {
      assert.isTrue(saysWhenNot(text), text)
    }
    for (const text of ["Gets one order.", "This is a tool, you can use this tool.", "Notes of a meeting."]) {
      assert.isFalse(saysWhenNot(text), text)
    }
  })
})
