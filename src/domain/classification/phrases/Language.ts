/**
 * Phrases of services in languages other than English: for each class of failure, the few words that nearly every such
 * message contains. They are matched after the general English phrases.
 */
import { type Phrase, phrase } from "./Phrase.ts"
import { diagnose } from "#domain/classification/codes/Diagnosis"

/** Phrases of Chinese, Spanish, Portuguese, French, German, Japanese and Russian. */
export const languages: ReadonlyArray<Phrase> = [
  phrase("language:rate", diagnose("rate_limited"), [
    /频繁|频率|限流|demasiadas (?:solicitudes|peticiones)|muitas requisições/
  ]),
  phrase("language:quota", diagnose("quota_exceeded"), [/配额|额度|余额不足|次数已|cuota|quota dépassé|kontingent/]),
  phrase("language:passing", diagnose("temporary_failure"), [
    /超时|稍后(?:再)?(?:重)?试|繁忙|系统(?:异常|错误)|服务器?(?:异常|错误|不可用)|inténtelo más tarde|tente novamente|réessayez|später erneut|タイムアウト|попробуйте позже/
  ]),
  phrase("language:rights", diagnose("unauthorized"), [
    /未授权|无权限|没有权限|权限不足|密钥|未登录|认证失败|鉴权|no autorizado|não autorizado|non autorisé|accès refusé|zugriff verweigert|nicht berechtigt|доступ запрещ/
  ]),
  phrase("language:missing", diagnose("unknown_reference"), [
    /不存在|未找到|找不到|没有找到|未检索到|未查询到|查无|no (?:fue )?encontrad[oa]|no existe|n[ãa]o (?:foi )?encontrad[oa]|introuvable|n'existe pas|nicht gefunden|existiert nicht|non trovat[oa]|見つかりません|не найден/
  ]),
  phrase("language:argument", diagnose("invalid_request"), [
    /参数|无效|非法|格式(?:错误|不正确)|缺少|不能为空|必填|不合法|inv[áa]lid[oa]|obligatori[oa]|obrigat[óo]ri[oa]|invalide|obligatoire|ungültig|erforderlich|non valid[oa]|無効|неверн|недопустим/
  ])
]
