/** Tests which messages of a failed write report a passing fault, which a repeat may mend, and which a lasting fault. */
import { assert, describe, it } from "@effect/vitest"
import { classify } from "#domain/classification/Classification"

const onWrite = (message: string) => classify({ message }, { access: "write" })

describe("passing faults of a write", () => {
  it("3.1 on a write what is temporarily unavailable is transient in every word order and language", () => {
    for (const message of [
      "This item is not available temporarily",
      "This feature is temporarily not available",
      "momentaneamente non disponibile",
      "Il servizio non è temporaneamente disponibile",
      "Le service n'est temporairement pas disponible",
      "temporalmente no disponible",
      "El servicio no está disponible temporalmente",
      "Der Dienst ist vorübergehend nicht verfügbar",
      "temporairement non disponible",
      "Serviço momentaneamente não disponível",
      "Dienst tijdelijk niet beschikbaar",
      "Tjänsten är tillfälligt inte tillgänglig",
      "Tjenesten er midlertidig ikke tilgjengelig",
      "Tjenesten er midlertidigt ikke tilgængelig"
    ])
      assert.strictEqual(onWrite(message).code, "unavailable", message)
  })

  it("3.1 on a write a lock is lock_conflict, and a cut connection is connection_lost or body_cut", () => {
    const messages = {
      "Record locked by user JSMITH": "lock_conflict",
      "Sheet is locked by another user": "lock_conflict",
      "Resource locked": "lock_conflict",
      "The lock is already taken": "lock_conflict",
      "lock already held": "lock_conflict",
      "The connection was cut in the middle": "connection_lost",
      "rsync: connection unexpectedly closed (0 bytes received so far)": "connection_lost",
      "stream cut off after 512 bytes": "body_cut",
      "Failed to update metadata after 60000 ms.": "timeout",
      "Topic orders not present in metadata after 60000 ms.": "timeout",
      "topic metadata not available": "timeout",
      "Metadata for topic orders is not available": "timeout",
      "Expiring 1 record(s) for orders-0: 120000 ms has passed since batch creation": "timeout",
      "Failed to read from the broker after 5 seconds": "timeout"
    }
    for (const [message, code] of Object.entries(messages)) {
      const { code: found, sideEffect } = onWrite(message)
      assert.deepStrictEqual([found, sideEffect], [code, "unknown"], message)
    }
  })

  it("3.1 on a write what is unavailable, locked or late for good is not transient", () => {
    for (const message of [
      "Artikel nicht verfügbar",
      "Producto no disponible",
      "Questo prodotto non è più disponibile",
      "Tjänsten är inte tillgänglig",
      "Temporarily not available in your region",
      "Username not available, please try again",
      "Vorübergehend nicht verfügbar. Die Bestellung ist ungültig",
      "Cuenta bloqueada temporalmente",
      "Account locked",
      "The card was locked by the user",
      "Funds already held",
      "Connection unexpectedly closed: the account is closed",
      "Failed to cancel the order after 30 minutes",
      "Failed to apply: voting closes after 60 s",
      "Failed to deliver after 5 s because the user is unknown",
      "Metadata for this file is not available"
    ])
      assert.notStrictEqual(onWrite(message).tag, "Transient", message)
  })

  it("3.1 with a 422 a sentence about a limit decides, and no other sentence about a passing fault", () => {
    const of = (message: string) => classify({ status: 422, message }, { access: "write" })
    assert.deepStrictEqual(
      ["Too many requests", "Rate limit exceeded", "Please try again later", "The server is busy"].map((message) => {
        const { code, sideEffect } = of(message)
        return [code, sideEffect]
      }),
      [
        ["rate_limited", "none"],
        ["rate_limited", "none"],
        ["invalid_request", "none"],
        ["invalid_request", "none"]
      ]
    )
  })
})
