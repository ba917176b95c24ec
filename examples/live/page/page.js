/**
 * Shows a run: each message is one event, and updates one part of the page. After a lost connection the browser reconnects
 * automatically and receives the missed events that are still stored. The page's URL holds the run's id, so that a reload shows the
 * run again.
 */
const $ = (id) => document.getElementById(id)

const element = (name, className, text) => {
  const node = document.createElement(name)
  if (className) node.className = className
  if (text !== undefined) node.textContent = text
  return node
}

const millis = (value) =>
  value < 1 ? "less than 1 ms" : value < 1000 ? `${Math.round(value)} ms` : `${(value / 1000).toFixed(1)} s`

const showState = (is, text) => {
  $("state").dataset.is = is
  $("state").textContent = text
}

const showProblem = (text) => {
  $("problem").textContent = text
  $("problem").hidden = text === ""
}

let source
let run
/** The elements of rounds by number and of calls by id. */
let rounds = new Map()
let calls = new Map()

/** Changes the page, and scrolls to the end if the page was scrolled there before. */
const updatePage = (change) => {
  const { scrollHeight, scrollTop } = document.documentElement
  const isAtEnd = scrollTop > 0 && scrollTop + innerHeight > scrollHeight - 80
  change()
  if (isAtEnd) scrollTo(0, document.documentElement.scrollHeight)
}

const roundOf = (number) => {
  const known = rounds.get(number)
  if (known) return known
  const item = element("li", "round")
  const said = element("p", "said")
  item.append(element("h2", "", `Round ${number}`), said)
  $("rounds").append(item)
  const made = { item, said }
  rounds.set(number, made)
  return made
}

const note = (number, text) => roundOf(number).item.append(element("p", "note", text))

const callOf = ({ callId, round, tool }) => {
  const known = calls.get(callId)
  if (known) return known
  const item = element("article", "call")
  const head = element("header")
  const status = element("span", "status", "called")
  head.append(element("h3", "", tool), status)
  const attempts = element("ol", "attempts")
  item.append(head)
  const last = [...rounds.values()].at(-1)
  ;(round === undefined ? (last ?? roundOf(1)) : roundOf(round)).item.append(item)
  const made = { item, status, attempts, person: undefined }
  calls.set(callId, made)
  return made
}

const setStatus = (call, is, text) => {
  call.status.dataset.is = is
  call.status.textContent = text
}

const addAttempt = (call, className, text) => {
  if (!call.attempts.isConnected) call.item.append(call.attempts)
  call.attempts.append(element("li", className, text))
}

const statusOf = ({ attempts, isFailure, text }) => {
  const tries = attempts === 1 ? "1 attempt" : `${attempts} attempts`
  try {
    const { error, status } = JSON.parse(text)
    return [isFailure ? "bad" : "good", `${error?.code ?? status} · ${tries}`]
  } catch {
    return [isFailure ? "bad" : "good", tries]
  }
}

/** Returns the element for a part of a result: a text, a picture, a link, or the name of another file. */
const partElement = (part) => {
  if (part.type === "text") return element("p", "part", part.text)
  const name = part.fileName ?? part.mediaType
  if (/^https?:/i.test(part.data)) {
    // a link, because the page loads nothing from other origins
    const link = element("a", "", name)
    link.href = part.data
    link.target = "_blank"
    link.rel = "noopener noreferrer"
    const line = element("p", "part")
    line.append(link)
    return line
  }
  if (!part.mediaType.startsWith("image/")) return element("p", "part", `A file: ${name}`)
  const image = element("img")
  image.alt = part.fileName ?? "A picture from the tool"
  image.src = `data:${part.mediaType};base64,${part.data}`
  return image
}

const pretty = (text) => {
  try {
    return JSON.stringify(JSON.parse(text), null, 2)
  } catch {
    return text
  }
}

const showEnd = ({ _tag, text, usage }) => {
  const isGood = _tag === "Answered"
  $("end").dataset.is = isGood ? "good" : "bad"
  $("ended").textContent = isGood ? "Answered" : `Ended: ${_tag}`
  $("answer").textContent = text
  const models = usage.byModel.map(({ model }) => model || "a model").join(", ")
  const rows = [
    ["rounds", usage.rounds],
    ["calls", usage.calls],
    ["attempts", usage.attempts],
    ["tokens in", usage.inputTokens],
    ["tokens out", usage.outputTokens],
    ["answered by", models || "no model"]
  ]
  $("usage").replaceChildren(
    ...rows.map(([name, value]) => {
      const row = element("div")
      row.append(element("dt", "", name), element("dd", "", String(value)))
      return row
    })
  )
  $("end").hidden = false
}

/** The handlers of events, by tag. Events with unknown tags are ignored. */
const handlers = {
  RoundStarted: ({ round }) => roundOf(round),
  Text: ({ delta, round }) => roundOf(round).said.append(delta),
  TextWithdrawn: ({ round }) => {
    roundOf(round).said.textContent = ""
    note(round, "The answer was interrupted and is requested again.")
  },
  ModelRetried: ({ delayMillis, reason, round }) =>
    note(round, `The model did not answer (${reason}). Retry in ${millis(delayMillis)}.`),
  ModelFellBack: ({ reason, round }) =>
    note(round, `The next model is used, because the previous one did not answer (${reason}).`),
  CallStarted: (event) => {
    const call = callOf(event)
    setStatus(call, "", "called")
    call.item.append(element("p", "arguments", JSON.stringify(event.arguments)))
  },
  AttemptStarted: (event) =>
    setStatus(callOf(event), "", event.attempt === 1 ? "runs" : `attempt ${event.attempt} runs`),
  AttemptEnded: (event) => {
    const call = callOf(event)
    const time = millis(event.durationMillis)
    if (event.outcome === "Success") addAttempt(call, "", `Attempt ${event.attempt} answered after ${time}`)
    else
      addAttempt(
        call,
        "bad",
        `Attempt ${event.attempt} failed after ${time}: ${event.outcome}${event.code === undefined ? "" : ` (${event.code})`}`
      )
  },
  RetryScheduled: (event) => addAttempt(callOf(event), "wait", `Retry in ${millis(event.delayMillis)}`),
  PersonAsked: (event) => {
    const call = callOf(event)
    setStatus(call, "waits", "waits for a person")
    const person = element("div", "person")
    const link = element("a", "button", "Decide in the inbox")
    link.href = /^https?:/.test(event.approvalUrl ?? "") ? event.approvalUrl : "approvals"
    link.target = "_blank"
    link.rel = "noopener"
    person.append(element("p", "", event.sentence), link)
    call.person = person
    call.item.append(person)
  },
  CallEnded: (event) => {
    const call = callOf(event)
    call.person?.remove()
    setStatus(call, ...statusOf(event))
    call.item.append(...(event.parts ?? []).map(partElement))
    const details = element("details")
    details.append(element("summary", "", "What the model reads"), element("pre", "", pretty(event.text)))
    call.item.append(details)
  },
  HistoryRepaired: ({ changes, round }) => note(round, `The conversation was repaired: ${changes.join(", ")}.`),
  Compacted: ({ callIds, round }) => note(round, `${callIds.length} old results were shortened.`),
  Escalated: ({ detail, isApproved, round }) =>
    note(round, `${detail} ${isApproved ? "A person approved." : "No person approved."}`),
  End: ({ end }) => {
    showEnd(end)
    over("ended")
  }
}

const over = (text) => {
  source?.close()
  source = undefined
  run = undefined
  showState("over", text)
  $("stop").disabled = true
}

const follow = (id) => {
  rounds = new Map()
  calls = new Map()
  $("rounds").replaceChildren()
  $("end").hidden = true
  showProblem("")
  source?.close()
  run = id
  location.hash = id
  $("stop").disabled = false
  showState("live", "live")
  source = new EventSource(`runs/${id}/events`)
  source.addEventListener("open", () => showState("live", "live"))
  source.addEventListener("message", ({ data }) => {
    const event = JSON.parse(data)
    if (Object.hasOwn(handlers, event._tag)) updatePage(() => handlers[event._tag](event))
  })
  source.addEventListener("missed", ({ data }) => {
    const { from, to } = JSON.parse(data)
    note(
      [...rounds.keys()].at(-1) ?? 1,
      `Events ${from} to ${to} occurred while this page was disconnected and are no longer stored.`
    )
  })
  source.addEventListener("error", () => {
    if (source?.readyState !== EventSource.CLOSED) return showState("away", "reconnecting")
    over("removed")
    showProblem("The server no longer has this run.")
  })
}

$("ask").addEventListener("submit", async (event) => {
  event.preventDefault()
  showProblem("")
  try {
    const response = await fetch("runs", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ prompt: $("prompt").value })
    })
    const answer = response.headers.get("content-type")?.startsWith("application/json") ? await response.json() : {}
    if (response.status !== 201) return showProblem(answer.error ?? `The server refused the run (${response.status}).`)
    follow(answer.id)
  } catch {
    showProblem("The server cannot be reached.")
  }
})

$("stop").addEventListener("click", async () => {
  if (run !== undefined)
    await fetch(`runs/${run}`, { method: "DELETE" }).catch(() => showProblem("The server cannot be reached."))
})

const known = /^#([0-9a-f]{32})$/.exec(location.hash)?.[1]
if (known !== undefined) follow(known)
