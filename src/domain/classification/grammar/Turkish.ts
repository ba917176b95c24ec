/** Turkish words of failures by role. Turkish adds endings to words, so most terms are stems. */
import type { Vocabulary } from "./Role.ts"

export const turkish: Vocabulary = {
  credential: `parola*, şifre*, oturum aç*, oturum süresi, giriş yap*, kimlik doğrulama*, kimlik bilgi*`,
  right: `yetki*, izin, izni*, izniniz, erişim*, yetkiniz yok, izniniz yok`,
  denied: `reddedildi, engellendi, yasak*, izin verilmedi, izin verilmiyor, yetkisiz, yetkiniz yok, izniniz yok`,
  quota: `kota*, kredi*, bakiye*`,
  throttled: `çok fazla istek, çok fazla deneme, çok sık`,
  memory: `bellek*`,
  storage: `disk*, alan*, depolama*`,
  exhausted: `yetersiz, doldu, dolu, tükendi, yeterli değil, kalmadı`,
  exceeded: `aşıldı, aşıyor, aştı, ulaşıldı`,
  comparison: `çok uzun, çok büyük, çok kısa, çok küçük, en az, en fazla, büyük olmalı, küçük olmalı`,
  limit: `sınır*, limit*`,
  timeout: `zaman aşımı*, süre aşımı, süresi doldu, yanıt vermiyor`,
  link: `bağlantı*, ağ`,
  broken: `kesildi, koptu, kapatıldı, sıfırlandı`,
  unconnected: `bağlanılamadı, bağlantı kurulamadı, ulaşılamıyor`,
  down: `
    aşırı yük*, bakım*, dahili hata, sunucu hatası, beklenmeyen hata, beklenmeyen bir hata, kullanılamıyor,
    hizmet dışı
  `,
  again: `tekrar deneyin, daha sonra, yeniden deneyin, geçici olarak, şu anda`,
  temporary: `geçici olarak`,
  lock: `başka bir süreç, başka bir işlem, başka bir kullanıcı, kilitlendi`,
  taken: `zaten var, zaten mevcut, zaten kullanılıyor, zaten kayıtlı, yinelenen`,
  state: `zaten, kapalı, kilitli, iptal edil*, silinmiş, devre dışı, oturum süresi`,
  needed: `zorunlu*, gerekli*, eksik, boş olamaz, boş bırakılamaz, belirtilmedi, gereklidir, giriniz`,
  invalid: `geçersiz*, hatalı*, yanlış*, sözdizimi hatası, uyuşmuyor, eşleşmiyor`,
  absent: `bulunamadı*, bulunamıyor, mevcut değil, bilinmeyen, yok, tanımsız`,
  unsupported: `desteklenmiyor, desteklenmeyen`,
  expectation: `olmalı*, olmalıdır, beklenen, lütfen`,
  input: `alan, alanı, değer*, parametre*, argüman*, sütun*, dosya*`,
  failed: `başarısız*, hata, olmadı`,
  uninstalled: `yüklü değil, kurulu değil`
}
