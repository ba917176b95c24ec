/** Lists texts with secrets. Known prefixes are written in pieces, so that secret scanners do not report this file. */

/** Returns letters of both cases and digits. */
const mixed = (length: number): string => "aB3xK9mQ2pL7vT5wZ8".repeat(20).slice(0, length)
/** Returns hexadecimal digits. */
const hex = (length: number): string => "9f8e7d6c5b4a3f2e1d0ca1b2c3d4e5f6".repeat(10).slice(0, length)
const base64 = (text: string): string => Buffer.from(text).toString("base64")
const encodedKey = base64(`-----BEGIN RSA PRIVATE KEY-----\n${mixed(200)}`)
const encodedConfig = base64('{"auths":{"a":{"auth":"Ym9iOmh1bnRlcjJ4eXo="}}}')
const uuid = "0a1b2c3d-4e5f-6a7b-8c9d-0e1f2a3b4c5d"
/** A text, the secret in it, and whether only failures lose the secret because a model needs it in results. */
type Shape = readonly [name: string, text: string, secret: string, where?: "failures"]

/** Texts with a secret. */
export const shapes: ReadonlyArray<Shape> = [
  ["set-cookie list in text", `{"set-cookie":["session=Ab12Cd34Ef56Gh78; Path=/"]}`, "Ab12Cd34Ef56Gh78"],
  ["name value in text", `{"name":"DB_PASSWORD","value":"Hunter2Xy9"}`, "Hunter2Xy9"],
  ["value name in text", `{"value":"Hunter2Xy9","name":"DB_PASSWORD"}`, "Hunter2Xy9"],
  ["yaml name value", `- name: DB_PASSWORD\n  value: Hunter2Xy9\n`, "Hunter2Xy9"],
  [
    "digest",
    `Authorization: Digest username="bob", realm="x", nonce="abc", uri="/a", response="6629fae49393a05397450978507c4ef1"`,
    "6629fae49393a05397450978507c4ef1"
  ],
  [
    "digest alone",
    `Digest username="bob", response="6629fae49393a05397450978507c4ef1"`,
    "6629fae49393a05397450978507c4ef1"
  ],
  ["discord bot", `bot MTk4NjIyNDgzNDcxOTI1MjQ4.Cl2FMQ.ZnCjm1XVW7vRze4b7Cq4se7kKWs ok`, "ZnCjm1XVW7vRze4b7Cq4se7kKWs"],
  [
    "age",
    `AGE${""}-SECRET-KEY-1QQPZRY9X8GF2TVDW0S3JN54KHCE6MUA7LQPZRY9X8GF2TVDW0S3JN54KHC`,
    "1QQPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L"
  ],
  [
    "putty",
    `PuTTY-User-Key-File-3: ssh-ed25519\nEncryption: none\nPublic-Lines: 2\nAAAAC3NzaC1lZDI1\nAAAA\nPrivate-Lines: 1\nAAAAIJxk3T9vQ2mB7pLx0rT5wZ8uY1\nPrivate-MAC: 9f8e7d6c5b4a3f2e`,
    "AAAAIJxk3T9vQ2mB7pLx0rT5wZ8uY1"
  ],
  ["notion", `secret_${mixed(43)}`, mixed(43)],
  ["notion ntn", `ntn_12345678901${mixed(35)}`, mixed(35)],
  ["supabase pat", `sbp_${hex(40)}`, hex(40)],
  ["supabase secret", `sb_secret_${mixed(22)}_${mixed(8)}`, mixed(22)],
  ["google refresh", `1//0g${mixed(60)}-abc`, mixed(60)],
  ["google auth code", `4/0A${mixed(70)}`, mixed(60)],
  ["azure devops", `pat ${"a7xk2mqplvt5wz3b".repeat(4).slice(0, 52)} x`, "a7xk2mqplvt5wz3b", "failures"],
  ["azure devops by name", `azure devops token ${"a7xk2mqplvt5wz3b".repeat(4).slice(0, 52)}`, "a7xk2mqplvt5wz3b"],
  ["azure devops new", `${mixed(76)}AZDO${mixed(4)}`, mixed(70)],
  ["netrc", `machine api.example.com login bob password hunter2xy`, "hunter2xy"],
  ["netrc lines", `machine api.example.com\n  login bob\n  password hunter2xy\n`, "hunter2xy"],
  [
    "shadow",
    `root:$6$rounds=5000$abcDEF12$Q8xK9mQ2pL7vT5wZ8aB3xK9mQ2pL7vT5wZ8aB3:19000:0:99999:7:::`,
    "Q8xK9mQ2pL7vT5wZ8aB3xK9mQ2pL7vT5wZ8aB3"
  ],
  [
    "bcrypt",
    `hash $2b$12$R9h/cIPz0gi.URNNX3kh2OPST9/PgBkqquzi.Ss7KIUgO2t0jWMUW end`,
    "R9h/cIPz0gi.URNNX3kh2OPST9/PgBkqquzi.Ss7KIUgO2t0jWMUW"
  ],
  [
    "argon2",
    `$argon2id$v=19$m=65536,t=3,p=4$c29tZXNhbHQxMjM$RdescudvJCsgt3ub+b27WAKuzPRBpvUNmJHXQCNXMLg`,
    "RdescudvJCsgt3ub"
  ],
  ["pbkdf2 django", `pbkdf2_sha256$260000$aB3xK9mQ2p$RdescudvJCsgt3ub+b27WAKuzPRBpvUNmJHXQCNXMLg=`, "RdescudvJCsgt3ub"],
  ["password next line", `password:\n  Hunter2Xy9!\n`, "Hunter2Xy9!"],
  ["password next line crlf", `Password:\r\nHunter2Xy9!\r\n`, "Hunter2Xy9!"],
  ["url-escaped pair", `body=password%3DHunter2Xy9%26user%3Dbob`, "Hunter2Xy9"],
  ["url-escaped json", `%7B%22password%22%3A%22Hunter2Xy9%22%7D`, "Hunter2Xy9"],
  ["html-escaped", `{&quot;password&quot;:&quot;Hunter2Xy9&quot;}`, "Hunter2Xy9"],
  ["html-escaped numeric", `{&#34;password&#34;:&#34;Hunter2Xy9&#34;}`, "Hunter2Xy9"],
  ["Passwort", `Passwort: Hunter2Xy9!`, "Hunter2Xy9!"],
  ["Kennwort", `Kennwort=Hunter2Xy9!`, "Hunter2Xy9!"],
  ["mot de passe", `mot de passe : Hunter2Xy9!`, "Hunter2Xy9!"],
  ["contraseña", `contraseña: Hunter2Xy9!`, "Hunter2Xy9!"],
  ["senha", `senha: Hunter2Xy9!`, "Hunter2Xy9!"],
  ["пароль", `пароль: Hunter2Xy9!`, "Hunter2Xy9!"],
  ["密码", `密码:Hunter2Xy9!`, "Hunter2Xy9!"],
  ["token zero width", `ghp${""}_x7Kd92LmNpQr5Tu\u200bVwXyZ1aBcDeFgHiJkLm3o`, "VwXyZ1aBcDeFgHiJkLm3o"],
  ["token soft hyphen", `gh\u00adp_x7Kd92LmNpQr5TuVwXyZ1aBcDeFgHiJkLm3o`, "x7Kd92LmNpQr5TuVwXyZ1aBcDeFgHiJkLm3o"],
  ["password zero width", `pass\u200bword=Hunter2Xy9!`, "Hunter2Xy9!"],
  ["postgres slash", `postgres://u:p4x/wq@h:5432/db`, "p4x/wq"],
  ["bearer no digits", `Authorization: Bearer abcdefghijklmnopqrst`, "abcdefghijklmnopqrst"],
  ["bearer no digits mixed", `Bearer aBcdEfghIjklMnopQrstUvwx`, "aBcdEfghIjklMnopQrstUvwx"],
  ["npm _auth", `//registry.npmjs.org/:_auth=Ym9iOmh1bnRlcjJ4eQ==`, "Ym9iOmh1bnRlcjJ4eQ=="],
  ["npm _authToken", `//registry.npmjs.org/:_authToken=${uuid}`, uuid],
  ["npm _password", `//registry.npmjs.org/:_password=aHVudGVyMg==`, "aHVudGVyMg"],
  ["quoted spaces", `password="Tr0ub4dor and 3 more"`, "Tr0ub4dor"],
  ["quoted JSON spaces", `{"password":"correct horse battery staple"}`, "correct horse"],
  ["array env", `["DB_PASSWORD=Hunter2Xy9"]`, "Hunter2Xy9"],
  ["text number", `{"password":20481633}`, "20481633"],
  ["dollar", `{"password":"$uperS3cret!9"}`, "$uperS3cret!9"],
  ["my-Dog", `password="my-Dog-9921!"`, "my-Dog-9921!"],
  ["AWS sak slash", `{"SecretAccessKey":"/bCdEfGh1jKlMnOpQrStUvWxYz0123456789+/AB"}`, "bCdEfGh1jKlMnOpQrStUvWxYz"],
  ["AWS sak env", `AWS_SECRET_ACCESS_KEY=/bCdEfGh1jKlMnOpQrStUvWxYz0123456789+/AB`, "bCdEfGh1jKlMnOpQrStUvWxYz"],
  [
    "AWS creds file",
    `[default]\naws_access_key_id = AKI${""}AZ3MSJV4WWNKWW5FG\naws_secret_access_key = bCdEfGh1jKlMnOpQrStUvWxYz0123456789+/ABc\naws_session_token = ${mixed(200)}`,
    "bCdEfGh1jKlMnOpQrStUvWxYz"
  ],
  ["AWS session", `aws_session_token = ${mixed(200)}`, mixed(190)],
  ["AWS SessionToken JSON", `"SessionToken": "IQoJb3JpZ2luX2VjE${mixed(200)}=="`, mixed(180)],
  ["AWS session alone", `token was IQoJb3JpZ2luX2VjE${mixed(200)}==`, mixed(180)],
  ["AWS FwoGZX session", `FwoGZXIvYXdzE${mixed(200)}`, mixed(180)],
  [
    "AWS sig",
    `https://b.s3.amazonaws.com/k?X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Credential=AKI${""}AZ3MSJV4WWNKWW5FG%2F20260101%2Feu-west-1%2Fs3%2Faws4_request&X-Amz-Signature=${hex(64)}`,
    hex(64),
    "failures"
  ],
  ["AWS sec token", `https://b.s3.amazonaws.com/k?X-Amz-Security-Token=IQoJb3Jp${mixed(100)}`, mixed(90)],
  [
    "AWS sigv4 header",
    `Authorization: AWS4-HMAC-SHA256 Credential=AKI${""}AZ3MSJV4WWNKWW5FG/20260101/x, SignedHeaders=host, Signature=${hex(64)}`,
    hex(64)
  ],
  ["AWS ECR/cognito", `aws_access_key_id=ASI${""}AZ3MSJV4WWNKWW5FG`, ["ASI", "AZ3MSJV4WWNKWW5FG"].join("")],
  ["MWS key", `amzn.mws.${uuid}`, uuid],
  [
    "GCP service account",
    `{"type":"service_account","private_key_id":"${hex(40)}","private_key":"-----BEGIN PRIVATE KEY-----\\nMIIEvQIBADANBgkqhkiG9w0BAQEFAASC${mixed(60)}\\n-----END PRIVATE KEY-----\\n"}`,
    "MIIEvQIBADANBgkqhkiG9w0BAQEFAASC"
  ],
  ["GCP api key", `AIz${""}a${mixed(35)}`, mixed(35)],
  ["GCP oauth", `ya29.${mixed(60)}`, mixed(60)],
  ["GCP HMAC", `GOOG1E${"ABCD2EFG3HIJ4KLM5NOP6QRS7TUV8WXY9ZABCDE1FGHIJ2KLMNOP".slice(0, 55)}`, "ABCD2EFG3HIJ4KLM5NOP6"],
  ["GCP signed url", `https://storage.googleapis.com/b/o?X-Goog-Signature=${hex(64)}`, hex(64), "failures"],
  [
    "Azure storage conn",
    `DefaultEndpointsProtocol=https;AccountName=x;AccountKey=${mixed(86)}==;EndpointSuffix=core.windows.net`,
    mixed(80)
  ],
  [
    "Azure servicebus",
    `Endpoint=sb://x.servicebus.windows.net/;SharedAccessKeyName=Root;SharedAccessKey=${mixed(43)}=`,
    mixed(43)
  ],
  [
    "Azure servicebus slash",
    `Endpoint=sb://x.servicebus.windows.net/;SharedAccessKeyName=Root;SharedAccessKey=/${mixed(42)}=`,
    mixed(42)
  ],
  ["Azure SAS", `https://x.blob.core.windows.net/c?sv=2022-11-02&sig=${mixed(43)}%3D`, mixed(43), "failures"],
  [
    "Azure SharedAccessSignature",
    `SharedAccessSignature sr=https%3A%2F%2Fx&sig=${mixed(43)}%3d&se=1700000000&skn=Root`,
    mixed(43)
  ],
  ["Azure client secret", `abc8Q~${mixed(34)}`, mixed(34)],
  ["Azure cosmos", `AccountEndpoint=https://x.documents.azure.com:443/;AccountKey=${mixed(86)}==;`, mixed(80)],
  ["Azure iothub", `HostName=x.azure-devices.net;DeviceId=d;SharedAccessKey=${mixed(43)}=`, mixed(43)],
  ["Azure sub key", `Ocp-Apim-Subscription-Key: ${hex(32)}`, hex(32)],
  ["Azure functions code", `https://x.azurewebsites.net/api/f?code=${mixed(54)}==`, mixed(54), "failures"],
  ["Azure new key", `${mixed(76)}+ASt${mixed(6)}==`, mixed(70)],
  ["Azure appconfig", `Endpoint=https://x.azconfig.io;Id=ab-l0-s0:abc;Secret=${mixed(43)}=`, mixed(43)],
  ["Azure publish profile", `<publishProfile userPWD="${mixed(60)}" />`, mixed(60)],
  ["Alibaba secret", `ALIBABA_CLOUD_ACCESS_KEY_SECRET=${mixed(30)}`, mixed(30)],
  ["Alibaba secret 2", `accessKeySecret: ${mixed(30)}`, mixed(30)],
  ["Alibaba id", `LTAI5t${mixed(18)}`, mixed(18)],
  ["Alibaba STS id", `STS.NU${mixed(24)}`, mixed(24)],
  [
    "Alibaba signed",
    `https://b.oss-cn-hangzhou.aliyuncs.com/o?OSSAccessKeyId=LTAI5t${mixed(18)}&Signature=${mixed(27)}%3D`,
    mixed(27),
    "failures"
  ],
  ["DO pat", `dop${""}_v1_${hex(64)}`, hex(64)],
  ["DO spaces", `SPACES_SECRET_KEY=${mixed(43)}`, mixed(43)],
  ["Cloudflare token", `CLOUDFLARE_API_TOKEN=${mixed(40)}`, mixed(40)],
  ["Cloudflare new", `cfut_${mixed(40)}${hex(8)}`, mixed(40)],
  ["Cloudflare header", `X-Auth-Key: ${hex(37)}`, hex(37)],
  ["Cloudflare origin", `v1.0-${hex(24)}-${hex(146)}`, hex(146)],
  ["Cloudflare tunnel", `cloudflared tunnel run --token eyJhIjoi${mixed(120)}`, mixed(110)],
  ["R2", `R2_SECRET_ACCESS_KEY=${hex(64)}`, hex(64)],
  ["Oracle OCI", `key_file=~/.oci/oci_api_key.pem\npass_phrase=Hunter2Xy9`, "Hunter2Xy9"],
  [
    "Oracle par",
    `https://objectstorage.eu-frankfurt-1.oraclecloud.com/p/${mixed(64)}/n/ns/b/bk/o/f`,
    mixed(64),
    "failures"
  ],
  ["Oracle db", `user/Hunter2Xy9@db.example.com:1521/ORCL`, "Hunter2Xy9", "failures"],
  ["IBM iam", `IBMCLOUD_API_KEY=${mixed(44)}`, mixed(44)],
  ["IBM apikey json", `{"apikey": "${mixed(44)}", "iam_apikey_name": "x"}`, mixed(44)],
  ["IBM cos hmac", `"cos_hmac_keys": {"access_key_id": "${hex(32)}", "secret_access_key": "${hex(48)}"}`, hex(48)],
  ["Tencent", `TENCENTCLOUD_SECRET_KEY=${mixed(32)}`, mixed(32)],
  ["Tencent id", `AKID${mixed(32)}`, mixed(32)],
  ["Scaleway", `SCW_SECRET_KEY=${uuid}`, uuid],
  ["Hetzner", `HCLOUD_TOKEN=${mixed(64)}`, mixed(64)],
  ["Linode", `LINODE_TOKEN=${hex(64)}`, hex(64)],
  ["Vultr", `VULTR_API_KEY=${"ABCD2EFG3HIJ4KLM5NOP6QRS7TUV8WXY9ZAB"}`, "ABCD2EFG3HIJ4KLM5NOP6QRS7TUV8WXY9ZAB"],
  ["OVH", `application_secret=${hex(32)}`, hex(32)],
  ["Heroku", `HEROKU_API_KEY=${uuid}`, uuid],
  [
    "docker config",
    `{"auths":{"https://index.docker.io/v1/":{"auth":"Ym9iOmh1bnRlcjJ4eXo="}}}`,
    "Ym9iOmh1bnRlcjJ4eXo="
  ],
  ["docker pat", `dckr_pat_${mixed(27)}`, mixed(27)],
  ["htpasswd", `bob:$apr1$abc12345$Q8xK9mQ2pL7vT5wZ8aB3x0`, "Q8xK9mQ2pL7vT5wZ8aB3x0"],
  ["pgpass", `db.example.com:5432:orders:app:Hunter2Xy9`, "Hunter2Xy9"],
  ["sqlserver", `Server=db;Uid=sa;Pwd=Hunter2Xy9;`, "Hunter2Xy9"],
  ["jdbc", `jdbc:mysql://db/x?user=a&password=Hunter2Xy9`, "Hunter2Xy9"],
  ["pass_phrase", `private_key_pass_phrase: Hunter2Xy9`, "Hunter2Xy9"],
  ["HF", `hf_${"aBcDeFgHiJkLmNoPqRsTuVwXyZabcdefgh"}`, "aBcDeFgHiJkLmNoPqRsTuVwXyZabcdefgh"],
  ["vault", `hvs${""}.${mixed(95)}`, mixed(90)],
  ["stripe", ["sk_", "live_", mixed(24)].join(""), mixed(24)],
  ["sendgrid", `SG.${""}${mixed(22)}.${mixed(43)}`, mixed(43)],
  ["twilio tok", `TWILIO_AUTH_TOKEN=${hex(32)}`, hex(32)],
  ["wireguard", `PrivateKey = ${mixed(43)}=`, mixed(43)],
  ["yandex iam", `t1.9euelZq${mixed(60)}.${mixed(86)}`, mixed(60)],
  ["yandex api", `AQVN${mixed(36)}`, mixed(36)],
  ["yandex static key", `YCAJE${mixed(20)} YCP${mixed(37)}`, mixed(37)],
  ["yandex oauth", `y0_AgAAAA${mixed(50)}`, mixed(50)],
  ["huawei sdk", `HUAWEICLOUD_SDK_SK=${mixed(40)}`, mixed(40)],
  ["baidu sk", `BCE_SK: ${hex(32)}`, hex(32)],
  ["baidu signature", `bce-auth-v1/ak/2026-04-27T08:23:49Z/1800/host/${hex(64)}`, hex(64)],
  ["backblaze", `applicationKey=${mixed(31)}`, mixed(31)],
  ["openstack token", `token gAAAAABl${mixed(120)}==`, mixed(110)],
  ["azure refresh token", `0.AXoA${mixed(20)}.AgABAAEAAAD${mixed(200)}`, mixed(150)],
  ["microsoft refresh token", `M.C532_BAY.0.U.-${mixed(100)}`, mixed(90)],
  ["azure sas key", `aeg-sas-key: ${mixed(43)}=`, mixed(43)],
  ["bedrock", `ABSK${mixed(120)}`, mixed(110)],
  ["render", `rnd_${mixed(32)}`, mixed(32)],
  ["vercel blob", `vercel_blob_rw_${mixed(16)}_${mixed(30)}`, mixed(30)],
  ["netlify", `nfp_${mixed(36)}`, mixed(36)],
  ["neon", `napi_${mixed(60)}`, mixed(60)],
  ["doppler service token", `dp.st.dev.${mixed(43)}`, mixed(43)],
  ["tailscale", `tskey-auth-k${mixed(12)}CNTRL-${mixed(32)}`, mixed(32)],
  ["bitbucket", `ATBB${mixed(32)}`, mixed(32)],
  ["atlassian", `ATATT3xFfGF0${mixed(170)}`, mixed(160)],
  ["slack rotated", `xoxe.xoxp-1-${mixed(160)}`, mixed(150)],
  ["new relic", `NRAK-${"ABCD2EFG3HIJ4KLM5NOP6QRS7TU"}`, "ABCD2EFG3HIJ4KLM5NOP6QRS7TU"],
  ["langsmith", `lsv2_pt_${hex(32)}_${hex(10)}`, hex(32)],
  ["mailgun", `key-${hex(32)}`, hex(32)],
  ["mailchimp", `${hex(32)}-us12`, hex(32)],
  ["paypal", `access_token$production$${hex(16)}$${hex(32)}`, hex(32)],
  ["kubeconfig", `client-key-data: ${encodedKey}`, encodedKey.slice(40)],
  ["docker config in base64", encodedConfig, encodedConfig.slice(12)],
  ["jwe", `eyJhbGciOiJSU0EtT0FFUCJ9.${mixed(80)}.${mixed(16)}.${mixed(80)}.${mixed(22)}`, mixed(70)],
  ["paseto", `v4.local.${mixed(100)}`, mixed(90)],
  ["xprv", `xprv${mixed(107)}`, mixed(100)],
  ["jwk", `{"kty":"EC","x":"a","d":"Zz9${mixed(40)}"}`, mixed(40)],
  [
    "scram",
    `SCRAM-SHA-256$4096:abcdefghijklmnop==$RdescudvJCsgt3ub+b27WA=:RdescudvJCsgt3ub+b27WA=`,
    "RdescudvJCsgt3ub"
  ],
  [
    "mysql hash",
    `IDENTIFIED WITH mysql_native_password AS '*2470C0C06DEE42FD1618BB99005ADCA2EC9D1E19'`,
    "2470C0C06DEE42FD1618"
  ],
  ["mysql user", `CREATE USER bob IDENTIFIED BY 'Hunter2Xy9'`, "Hunter2Xy9"],
  ["sshpass", `sshpass -p Hunter2Xy9 ssh host`, "Hunter2Xy9"],
  ["redis-cli", `redis-cli -h host -a Hunter2Xy9 ping`, "Hunter2Xy9"],
  ["powershell", `$password = ConvertTo-SecureString "Hunter2Xy9" -AsPlainText`, "Hunter2Xy9"],
  ["powershell alone", `ConvertTo-SecureString -String 'Hunter2Xy9'`, "Hunter2Xy9"],
  ["odbc braces", `Driver={SQL};UID=sa;PWD={Hunter2;Xy9};`, "Hunter2;Xy9"],
  ["jdbc oracle", `jdbc:oracle:thin:scott/Hunter2Xy9@//host:1521/orders`, "Hunter2Xy9", "failures"],
  ["element with attributes", `<wsse:Password Type="x">Hunter2Xy9!</wsse:Password>`, "Hunter2Xy9!"],
  ["element of characters", `<password><![CDATA[Hunter2Xy9!]]></password>`, "Hunter2Xy9!"],
  ["property list", `<key>password</key>\n<string>Hunter2Xy9!</string>`, "Hunter2Xy9!"],
  ["session cookie", `JSESSIONID=${hex(32).toUpperCase()}`, hex(32).toUpperCase()],
  ["express cookie", `connect.sid=s%3A${mixed(32)}.${mixed(43)}`, mixed(32)],
  ["escaped quotes", String.raw`{\u0022password\u0022:\u0022Hunter2Xy9\u0022}`, "Hunter2Xy9"],
  ["escaped equals sign", String.raw`password\u003dHunter2Xy9\u0026x`, "Hunter2Xy9"],
  ["hexadecimal equals sign", String.raw`password\x3dHunter2Xy9`, "Hunter2Xy9"],
  ["full-width equals sign", `password＝Hunter2Xy9`, "Hunter2Xy9"],
  ["full-width colon", `password：Hunter2Xy9`, "Hunter2Xy9"],
  ["php serialised", `s:8:"password";s:10:"Hunter2Xy9";`, "Hunter2Xy9"],
  ["python bytes", `{'password': b'Hunter2Xy9'}`, "Hunter2Xy9"],
  ["rust option", `Config { password: Some("Hunter2Xy9") }`, "Hunter2Xy9"],
  ["toml", `password = """Hunter2Xy9"""`, "Hunter2Xy9"],
  ["كلمة المرور", `كلمة المرور: Hunter2Xy9!`, "Hunter2Xy9!"],
  ["पासवर्ड", `पासवर्ड: Hunter2Xy9!`, "Hunter2Xy9!"],
  ["totp", `otpauth://totp/x:bob?secret=JBSWY3DPEHPK3PXP&issuer=x`, "JBSWY3DPEHPK3PXP"]
]

/** Further texts, among them an example of each keyword that has none in `shapes`. */
export const keywordExamples: ReadonlyArray<string> = [
  "password",
  "passwd",
  "pwd",
  "passphrase",
  "pass_phrase",
  "pass-phrase",
  "passcode",
  "secret",
  "token",
  ...["api", "access", "private", "account", "auth", "signing", "encryption", "master", "subscription"].flatMap(
    (word) => ["", "_", "-"].map((joint) => `${word}${joint}key`)
  ),
  "function-key",
  "functions-key",
  "applicationkey",
  "application_key",
  "application-key",
  "sas-key",
  "sas_key",
  "MY_SK",
  "credential",
  "DB_PASS",
  "motdepasse",
  "contrasena",
  "wachtwoord",
  "hasło",
  "heslo",
  "lösenord",
  "adgangskode",
  "passord",
  "salasana",
  "parola",
  "şifre",
  "Пароль",
  "密碼",
  "パスワード",
  "비밀번호",
  "كلمة السر",
  "mật khẩu",
  "รหัสผ่าน",
  "סיסמה"
]
  .flatMap((name) => [`${name}=Hunter2Xy9!a`, `${name}%3DHunter2Xy9!a%26x`])
  .concat(
    [
      "+ASb",
      "+AEh",
      "+ASt",
      "ACDb",
      "AIoT",
      "+ARm",
      "+ACR",
      "AzFu",
      "AzSe",
      "AzCa",
      "+ABa",
      "AAPIM",
      "JQQJ9",
      "AZDO"
    ].map((mark) => `${mixed(52)}${mark}${mixed(6)}`),
    ["password", "passphrase", "secret", "token", "api key"].map((name) => `The ${name} "Hunter2Xy9" is wrong`),
    ["--password-stdin", "--passwd-stdin", "--token-stdin", "--with-token", "--passphrase-fd 0"].map(
      (option) => `a login ${option} <<< Hunter2Xy9`
    ),
    ["-pass stdin", "-passin stdin", "-passout stdin", "passwd"].map(
      (option) => `${option.startsWith("-") ? `openssl rsa ${option}` : option} <<< Hunter2Xy9`
    ),
    [
      "echo Hunter2Xy9 | sudo -S ls",
      "set password for bob = 'Hunter2xy'",
      "machine a.example login bob password\tHunter2xy",
      "CREATE USER a IDENTIFIED BY 'Hunter2xy'",
      ...[" '", ' "', ' \\"', "='", " ='", " = '"].map(
        (sign) => `ALTER USER a WITH PASSWORD${sign}Hunter2xy${sign.slice(sign.search(/[\\'"]/))}`
      ),
      "bob/Hunter2Xy9@//db.example.com/ORCL",
      `Digest response = "${hex(32)}"`,
      `Basic ${mixed(20)}==`,
      "curl -u bob:Hunter2xy https://a.example",
      "curl --user bob:Hunter2xy https://a.example",
      `curl -u"bob:Hunter2xy" https://a.example`,
      "curl -u'bob:Hunter2xy' https://a.example",
      "mysql -pHunter2xy orders",
      "kind: Secret\ndata:\n  a: czNjcmV0czNjcmV0\n",
      String.raw`{\"name\":\"DB_PASSWORD\",\"value\":\"Hunter2Xy9\"}`,
      `<add name="DB_PASSWORD" value="Hunter2Xy9"/>`
    ]
  )
