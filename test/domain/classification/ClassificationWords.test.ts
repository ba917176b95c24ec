/**
 * Tests the words for transient, resource and permission failures in English and Chinese, and texts that only repeat
 * them.
 */
import { assert, describe, it } from "@effect/vitest"
import { classify } from "#domain/classification/Classification"

const codeOf = (message: string, args?: unknown): string => {
  const { code, tag } = classify(new Error(message), {
    access: "read",
    ...(args === undefined ? {} : { arguments: args })
  })
  return `${tag} ${code}`
}

const all = (expected: string, messages: ReadonlyArray<string>) => {
  for (const message of messages) assert.strictEqual(codeOf(message), expected, message)
}

describe("words of transient failures", () => {
  it("3.1 timeouts and outages in Chinese are Transient", () => {
    all("Transient temporary_failure", [
      "网络超时",
      "请求超时\uFF0C请稍后重试",
      "临时故障",
      "服务暂时不可用",
      "网络连接失败",
      "網路逾時",
      "連線逾時",
      "暫時故障",
      "請稍後再試",
      "伺服器錯誤"
    ])
  })

  it("3.1 rate limits in Chinese are rate_limited", () => {
    all("Transient rate_limited", ["限流", "触发限流\uFF0C请稍后再试", "请求过于频繁", "請求過於頻繁", "流量限制"])
  })

  it("3.1 (mission 001.3) an outage and an upstream that cannot be reached are unavailable", () => {
    all("Transient unavailable", [
      "temporary outage",
      "Temporary outage of the service",
      "service outage",
      "There is a network outage.",
      "The call failed due to a regional outage",
      "upstream unavailable",
      "Upstream service unavailable",
      "backend temporarily unreachable"
    ])
    all("Transient temporary_failure", ["临时故障", "系统维护中", "服务器开小差了，请稍后再试"])
  })
})

describe("words of exhausted resources", () => {
  it("3.1 a full disk is disk_full in both languages", () => {
    all("Resource disk_full", [
      "no space left",
      "No space left on volume",
      "write failed: no space left on volume",
      "write failed: no space left",
      "no space left on device",
      "No space left in the file system.",
      "磁盘满",
      "磁盘已满",
      "磁盘空间不足",
      "上传失败\uFF1A存储空间不足\uFF0C请清理后重试",
      "硬盘空间不够",
      "空间不足",
      "磁碟空間不足",
      "磁碟已滿"
    ])
  })

  it("3.1 exhausted memory is out_of_memory in both languages", () => {
    all("Resource out_of_memory", [
      "out of memory",
      "内存不足",
      "内存不足\uFF0C请稍后重试",
      "服务器内存已耗尽",
      "内存溢出",
      "显存不足",
      "記憶體不足",
      "無法分配記憶體"
    ])
  })

  it("3.1 an exceeded token limit is context_limit in both languages", () => {
    all("Resource context_limit", [
      "token limit",
      "Token limit exceeded",
      "token limit exceeded: 200000 > 128000",
      "Token limit of 128,000 exceeded",
      "The request exceeds the model's token limit",
      "max_tokens exceeded",
      "Token 数超限",
      "上下文长度超限",
      "提示词过长",
      "超出最大上下文长度"
    ])
  })

  it("3.1 an exceeded budget is quota_exceeded in both languages", () => {
    all("Resource quota_exceeded", [
      "token budget exceeded",
      "Token 预算超限",
      "错误\uFF1Atoken预算超限\uFF08200000 > 128000\uFF09",
      "预算超限",
      "配额已用尽",
      "配額已用盡"
    ])
  })

  it("3.1 (mission 001.15) a bare token budget is quota_exceeded, and a long context is context_limit", () => {
    all("Resource quota_exceeded", [
      "token budget",
      "Token budget.",
      "out of token budget",
      "insufficient token budget"
    ])
    all("Resource context_limit", ["上下文超长", "上下文长度超长", "提示詞超長", "输入过长"])
  })
})

describe("words of denied permissions", () => {
  it("3.1 (mission 001.6) a permission error is permission_denied in both languages", () => {
    all("Permanent permission_denied", [
      "permission error",
      "Permission error: cannot write",
      "权限被拒绝",
      "權限被拒絕"
    ])
  })

  it("3.1 a missing permission in Chinese is unauthorized", () => {
    all("Permanent unauthorized", [
      "权限不足",
      "无权限",
      "没有访问权限",
      "未授权",
      "拒绝访问",
      "访问被拒绝",
      "禁止访问",
      "會話已過期",
      "登录超时",
      "權限不足",
      "無權限",
      "未授權",
      "拒絕存取"
    ])
  })
})

describe("texts that only repeat the words", () => {
  it("3.1 a wrong or missing thing that is named with the words is an error of the arguments", () => {
    for (const message of [
      'Ticket "no space left" not found',
      "工单\u201C内存不足\u201D不存在",
      "找不到标题为磁盘满的工单",
      "未找到工单\uFF1A限流",
      "文件 内存不足.txt 不存在",
      "限流规则不存在"
    ]) {
      assert.strictEqual(codeOf(message), "ToolArgError unknown_reference", message)
    }
    for (const message of [
      "token limit must be positive",
      "Invalid value for 'token limit'",
      "超时时间参数无效",
      "额度参数无效",
      "参数 title 的值\u300C临时故障\u300D无效"
    ]) {
      assert.match(codeOf(message), /^ToolArgError /, message)
    }
  })

  it("3.1 a negated or excepted failure in Chinese is not a failure", () => {
    for (const message of [
      "没有临时故障",
      "沒有臨時故障",
      "没有临时网络故障",
      "没有发生网络超时",
      "不是网络超时",
      "并非服务异常",
      "非系统繁忙",
      "无超时",
      "无限流",
      "不是请求过多",
      "不是余额不足",
      "不是服务器内存不足",
      "不是磁盘空间不足",
      "内存不足以外",
      "除超时错误以外",
      "存储空间不足之外"
    ]) {
      assert.notMatch(codeOf(message), /^(?:Transient|Resource) /, message)
    }
  })

  it("3.1 a failure alongside a negation of something else is still a failure", () => {
    all("Transient temporary_failure", [
      "没有响应\uFF0C请求超时",
      "没有响应请求超时",
      "系统非常繁忙",
      "服务器无响应",
      "不是参数问题\uFF0C是网络超时"
    ])
    all("Resource out_of_memory", ["内存不足以完成操作", "没有内存溢出以外的原因\uFF0C内存不足"])
    all("Resource disk_full", ["没有足够的磁盘空间"])
  })

  it("3.1 (mission 001.3) a negated or only mentioned outage, budget or permission error is not classified as a failure of its kind", () => {
    for (const message of [
      "no temporary outage",
      "This is not a temporary outage",
      "There was no service outage",
      "The report on the service outage of March is missing a page",
      "The upstream is not unavailable",
      "the token budget is 4000",
      "remaining token budget",
      "no permission error",
      "permission error handling",
      "不是上下文超长",
      "上下文没有超长",
      "权限未被拒绝",
      "不是权限被拒绝",
      "输入超出范围"
    ]) {
      const code = codeOf(message)
      assert.notMatch(code, /^(?:Transient|Resource)|permission_denied|unauthorized/, message)
    }
  })

  it("3.1 a missing thing alongside an exhausted resource is still a Resource failure", () => {
    all("Resource out_of_memory", ["内存不足\uFF0C找不到可用节点"])
  })

  it("3.1 missing space for guests or cars is a state, and a limit of access tokens is not an exhausted resource", () => {
    all("Permanent wrong_state", [
      "no space left in the parking lot",
      "No space left on the bus",
      "Booking failed: no space left",
      "There is no space left for the guests"
    ])
    all("Permanent tool_failed", ["Refresh token limit reached", "Personal access token limit reached", "磁盘满意度"])
    assert.strictEqual(codeOf("标题输入过长"), "ToolArgError invalid_request")
  })

  it("3.1 a connection string and a forbidden retry are not transient in either language", () => {
    all("Permanent misconfigured", ["invalid connection string", "连接字符串无效", "無效的連接字串"])
    all("Permanent refused", ["do not retry"])
    all("Permanent tool_failed", ["请勿稍后重试"])
  })

  it("3.1 a text of the arguments that the error repeats does not affect the class", () => {
    const title = { title: "No space left on volume" }
    assert.strictEqual(codeOf("The ticket No space left on volume is closed", title), "Permanent wrong_state")
    assert.strictEqual(codeOf("Nothing can be done about: no space left on volume", title), "Permanent tool_failed")
    assert.strictEqual(codeOf("工单 磁盘满 已经关闭", { filter: { title: "磁盘满" } }), "Permanent wrong_state")
    assert.strictEqual(codeOf("工单 磁盘满 已经关闭", { title: "别的" }), "Resource disk_full")
  })

  it("3.1 an error that consists of the repeated text is classified by the text", () => {
    const args = { query: "rate limit exceeded" }
    assert.strictEqual(codeOf("rate limit exceeded", args), "Transient rate_limited")
    assert.strictEqual(codeOf("Error: rate limit exceeded", args), "Transient rate_limited")
  })

  it("3.1 a repeated single word, or a part of a word, is still read", () => {
    assert.strictEqual(codeOf("Request timed out", { action: "timed" }), "Transient timeout")
    assert.strictEqual(codeOf("服务器内存不足", { thing: "内存不足" }), "Resource out_of_memory")
  })
})
