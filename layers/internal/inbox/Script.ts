/**
 * The script of the page: keeps the list up to date without losing what a person has typed. Without JavaScript a person
 * reloads the page to update it.
 */
export const script = `"use strict"
const list = document.querySelector("[data-live]")
if (list !== null) {
  const status = document.querySelector("[data-status]")
  const empty = document.querySelector("[data-empty]")
  const idsOf = (root) => new Map([...root.querySelectorAll("[data-id]")].map((item) => [item.dataset.id, item]))
  let isBusy = false
  let isAsked = false
  const update = async () => {
    if (isBusy) { isAsked = true; return }
    isBusy = true
    try {
      const response = await fetch(location.href, { headers: { accept: "text/html" }, cache: "no-store" })
      if (response.redirected || response.status === 401) { location.reload(); return }
      if (!response.ok) return
      const fresh = new DOMParser().parseFromString(await response.text(), "text/html")
      const freshList = fresh.querySelector("[data-live]")
      if (freshList === null) return
      const before = idsOf(list)
      const now = idsOf(freshList)
      let added = 0
      let removed = 0
      for (const [id, item] of before) {
        const next = now.get(id)
        if (next !== undefined) {
          item.querySelector("[data-times]").replaceWith(next.querySelector("[data-times]"))
        } else if (item.contains(document.activeElement) || [...item.querySelectorAll("textarea")].some(({ value }) => value !== "")) {
          if (item.dataset.ended === undefined) {
            item.dataset.ended = ""
            removed += 1
            for (const button of item.querySelectorAll("button")) button.disabled = true
            const ended = document.createElement("p")
            ended.className = "message bad"
            ended.textContent = "This request was decided elsewhere or has expired."
            item.querySelector("form").before(ended)
          }
        } else {
          removed += 1
          item.remove()
        }
      }
      for (const [id, item] of now) {
        if (before.has(id)) continue
        added += 1
        list.append(item)
      }
      const outcomes = document.querySelector("[data-outcomes]")
      const isTyped = [...outcomes.querySelectorAll("textarea")].some(({ value }) => value !== "")
      if (!isTyped && !outcomes.contains(document.activeElement)) outcomes.replaceWith(fresh.querySelector("[data-outcomes]"))
      document.querySelector("[data-count]").replaceWith(fresh.querySelector("[data-count]"))
      document.title = fresh.title
      empty.hidden = fresh.querySelector("[data-empty]").hidden
      const sentences = []
      if (added > 0) sentences.push(added === 1 ? "One new request." : added + " new requests.")
      if (removed > 0) sentences.push(removed === 1 ? "One request was decided or has expired." : removed + " requests were decided or have expired.")
      if (sentences.length > 0) status.textContent = sentences.join(" ")
    } catch {
      // the server is unavailable: the next event or the timer tries again
    } finally {
      isBusy = false
      if (isAsked) { isAsked = false; update() }
    }
  }
  new EventSource(list.dataset.live).addEventListener("changed", update)
  setInterval(update, 30000)
}
`
