/**
 * Recognises texts that stand in for a secret: words of forms and schemas, masks, variables and references to a vault.
 *
 * **Details**
 *
 * Only an exact form counts: each word of `your-api-key` is known, and `$DB_PASSWORD` is a variable. A password is not a
 * placeholder merely because it begins with `$`, `#` or `my-`.
 */

/** Words of schemas, forms, documentation and masks. A text that consists only of these words is not a secret. */
const vocabulary = new Set(
  (
    "null nil none undefined true false yes no on off string str text number int integer bool boolean object array any " +
    "unknown required optional missing invalid incorrect expired wrong empty default must should cannot expected got is " +
    "not na passwords password passwd pwd passphrase passphrases passcode pass secrets secret tokens token keys key " +
    "credentials credential auth authentication authorization bearer basic oauth value values redacted hidden masked " +
    "omitted removed filtered example sample dummy test testing changeme change me function const let var new await " +
    "return your my the a an or and of for to in it this that here enter insert type repeat confirm confirmation current " +
    "old forgot reset set unset replace with todo tbd file env from encrypted hashed protected private public access api " +
    "client user username id app db database service account server name field input visible enabled disabled char " +
    "varchar date uuid byte binary float double long short decimal sensitive plain plaintext master root admin " +
    "administrator login sign signing session refresh id encryption x xx xxx please provide choose create show hide " +
    "generated generate personal provider vendor project organization organisation org webhook shared " +
    "passwort kennwort contraseña contrasena clave mot de passe senha wachtwoord hasło heslo lösenord adgangskode " +
    "passord salasana пароль şifre sifre parola jelszó 密码 密碼 パスワード 비밀번호 mật khẩu kata sandi รหัสผ่าน סיסמה סיסמא"
  ).split(" ")
)

/** The maximum length of a placeholder. */
const maxLength = 200
const mask = /^(?:[x*.•·●_#-]{3,}|[*•·●.x]{3,}\w{0,4})$/i
const enclosed = /^(?:\[\s*([^[\]]*)\s*\]|<\s*([^<>]*)\s*>|\{\{?\s*([^{}]*)\s*\}?\}|\(\s*([^()]*)\s*\))$/
const variable =
  /^(?:\$[A-Z_][A-Z0-9_]*|\$[a-z_]+(?:->[a-z_]+)*|\$\{\{?\s*[A-Za-z_][\w.-]*\s*\}?\}|\{\{\s*[\w.$|() "'/-]+\s*\}\}|\$\([\w ./-]+\)|#\{[\w.[\]:"'@]+\}|%[A-Z_][A-Z0-9_]*%|%\(\w+\)s|%[sdv@]|<%=?\s*[\w.[\]:"']+\s*%>)$/
const expression =
  /^(?:process\.env|import\.meta\.env|os\.environ|env|secrets?|config|settings|vars?|local|module|data|this|self|context|options|params|props)(?:[.:][A-Za-z_]\w*|\[["']?\w+["']?\])+$/i
const reference =
  /^(?:arn:aws[\w-]*:[\w-]+:[\w-]*:\d*:\S+|urn:[\w-]+:\S+|(?:op|vault|ssm|secretsmanager|gcpsm|akv|keyring|keychain|doppler|infisical|bws|ref\+\w+):(?:\/\/)?[\w./#@:-]+|projects\/[\w-]+\/secrets\/[\w/-]+|https?:\/\/(?![^\s/]*@)[^\s?]+|(?:~|\.{0,2}|[A-Za-z]:)[\\/][^\s"'<>|]*\.(?:pem|key|p12|pfx|jks|crt|cer|der|ppk|pub|asc|gpg|json|txt|env|ya?ml|toml|ini|conf)|\/(?:run|var\/run|etc|mnt)\/secrets?\/[\w./-]+)$/

/** True if all words of a text are words of forms and schemas, as in `your-api-key` and `Enter your password`. */
const isOfWords = (text: string): boolean => {
  const words = text
    .replace(/([a-z])([A-Z])/g, "$1 $2")
    .toLowerCase()
    .split(/[\s_\-./:,'’!?…]+/)
    .filter((word) => word !== "")
  return words.length <= 12 && words.every((word) => vocabulary.has(word))
}

/** True if a text is exactly a placeholder, and not a secret. */
export const isPlaceholder = (text: string): boolean => {
  if (text.length > maxLength) return false
  const trimmed = text.trim()
  if (mask.test(trimmed) || variable.test(trimmed) || expression.test(trimmed) || reference.test(trimmed)) return true
  const inner = enclosed.exec(trimmed)
  if (inner !== null && isOfWords(inner[1] ?? inner[2] ?? inner[3] ?? inner[4] ?? "")) return true
  return isOfWords(/^[:@]\w/.test(trimmed) ? trimmed.slice(1) : trimmed)
}

const form =
  /\b(?:must|required?|requires|invalid|incorrect|characters?|blank|too (?:short|long|weak|common|simple)|minimum|maximum|at least|match(?:es)?|expired?|passwords?|passphrases?|passcodes?|(?:api|access|private|secret) keys?|keys?|tokens?|secrets?|credentials?|authori[sz]ation|authorized)\b/i

/** True if a text is a sentence about a field, such as `is too short` and `Your RapidAPI key`. */
export const isAboutField = (text: string): boolean => /\S\s+\S/.test(text) && form.test(text)
