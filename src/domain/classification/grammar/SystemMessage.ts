/**
 * The messages of the C library about files, memory and connections (`strerror`, `gai_strerror`) in the languages into
 * which it is translated. English messages are in `phrases/Strerror`, with the name of their error.
 *
 * Source: the message catalogues of glibc.
 */
import type { Vocabulary } from "./Role.ts"

/** `ENOMEM` */
const noMemory = `
  nicht genügend hauptspeicher verfügbar, ne peut allouer de la mémoire, no se pudo asignar memoria,
  impossibile allocare memoria, impossível alocar memória, não foi possível alocar memória,
  onvoldoende geheugen beschikbaar, nie można przydzielić pamięci, невозможно выделить память,
  не вдалося розподілити пам'ять, nelze alokovat paměť, nie je možné prideliť pamäť, kan inte allokera minne,
  kan ikke tildele hukommelse, kan ikke tildele minne, muistin varaaminen ei onnistu, nem foglalható memória,
  bellek ayrılamadı, δεν είναι δυνατό να δεσμευτεί μνήμη, не може да се задели памет, nema dovoljno memorije,
  не могу да доделим меморију, tidak dapat mengalokasikan memori, không thể cấp phát bộ nhớ, メモリを確保できません,
  메모리를 할당할 수 없습니다, 无法分配内存, 無法配置記憶體, no s'ha pogut reservar memòria
`

/** `ENOSPC` and `EDQUOT` */
const noSpace = `
  auf dem gerät ist kein speicherplatz mehr verfügbar, aucun espace disponible sur le périphérique,
  no queda espacio en el dispositivo, spazio esaurito sul device, sem espaço livre no dispositivo,
  não há espaço disponível no dispositivo, geen ruimte meer over op apparaat, brak miejsca na urządzeniu,
  на устройстве не осталось свободного места, недостатньо місця на пристрої, na zařízení není volné místo,
  na zariadení už nie je žiadne miesto, enheten är full, ikke mere plads på enheden, ikke mer plass på enheten,
  laitteella ei ole tilaa jäljellä, nincs több hely a lemezen, aygıt üzerinde boş yer yok,
  δεν έμεινε καθόλου χώρος στη συσκευή, няма свободно място на устройството, nema više prostora na uređaju,
  није преостало простора на уређају, tidak ruang lagi diperangkat, không có đủ chỗ trống trên thiết bị,
  デバイスに空き領域がありません, 장치에 남은 공간이 없음, 设备上没有空间, 裝置上已無多餘空間, no resta espai al dispositiu,
  débordement du quota d'espace disque, se ha excedido la cuota de disco, quota disco superata,
  quota do disco excedida, cota da disco excedida, schijfquotum is overschreden, przekroczony limit dyskowy,
  превышена дисковая квота, перевищено квоту диска, překročena disková kvóta, disková kvóta prekročená,
  diskkvot överskriden, diskkvoten overskredet, levykiintiö ylittynyt, lemezkvóta túllépve, disk kotası aşıldı,
  ξεπεράστηκε το όριο χρήσης δίσκου, надвишена дискова квота, квота диска је премашена, quota dis terlampaui,
  vượt quá hạn ngạch đĩa, ディスク使用量制限を超過しました, 디스크 할당량이 초과됨, 超出磁盘限额, 磁碟配額已滿, s'ha excedit la quota de disc
`

/** `EMFILE` */
const tooManyFiles = `
  zu viele offene dateien, trop de fichiers ouverts, demasiados ficheros abiertos, troppi file aperti,
  demasiados ficheiros abertos, muitos arquivos abertos, te veel open bestanden, za dużo otwartych plików,
  слишком много открытых файлов, забагато відкритих файлів, překročen limit počtu otevřených souborů,
  priveľa otvorených súborov, för många öppna filer, for mange åbne filer, for mange åpne filer,
  liian monta avointa tiedostoa, túl sok nyitott fájl, çok fazla açık dosya var, υπερβολικά πολλά ανοικτά αρχεία,
  твърде много отворени файлове, previše otvorenih datoteka, превише отворених датотека,
  terlalu banyak berkas terbuka, quá nhiều tập tin đang mở, ファイルを開きすぎです, 열린 파일이 너무 많음, 打开的文件过多, 開啟太多檔案,
  el procés té massa fitxers oberts
`

export const system: Vocabulary = {
  memory: noMemory,
  storage: noSpace,
  slot: tooManyFiles,
  denied: `
    keine berechtigung, permission non accordée, permiso denegado, permesso negato, permissão recusada,
    permissão negada, toegang geweigerd, brak dostępu, отказано в доступе, відмовлено у доступі, operace zamítnuta,
    prístup odmietnutý, åtkomst nekas, adgang nægtet, ikke tilgang, lupa evätty, engedély megtagadva,
    erişim engellendi, άρνηση πρόσβασης, отказан достъп, pristup je odbijen, овлашћење је одбијено, ijin ditolak,
    không đủ quyền truy cập, 許可がありません, 허가 거부, 权限不够, 拒絕不符權限的操作, s'ha denegat el permís,
    die operation ist nicht erlaubt, opération non permise, operación no permitida, operazione non permessa,
    operação não permitida, actie is niet toegestaan, operacja niedozwolona, операция не позволена, дію заборонено,
    operace není povolena, operácia nie je povolená, operationen inte tillåten, operationen er ikke tilladt,
    operasjonen er ikke tillatt, toiminto ei ole sallittu, a művelet nem engedélyezett, i̇şleme izin verilmedi,
    η λειτουργία δεν επιτρέπεται, действието не е позволено, operacija nije dopuštena, радња није допуштена,
    operasi tidak diijinkan, thao tác không được phép, 許可されていない操作です, 명령을 허용하지 않음, 不允许的操作, 此項操作並不被允許,
    l'operació no és permesa
  `,
  exhausted: `${noMemory}, ${noSpace}, ${tooManyFiles}`,
  timeout: `
    die wartezeit für die verbindung ist abgelaufen, connexion terminée par expiration du délai d'attente,
    expiró el tiempo de conexión, connessione scaduta, ligação expirada, tempo esgotado para conexão,
    verbinding is verlopen, przekroczony czas oczekiwania na połączenie, время ожидания соединения истекло,
    перевищено інтервал очікування з'єднання, spojení bylo příliš dlouho neaktivní,
    časový limit pre spojenie vypršal, förbindelsens tidsgräns löpte ut, opkoblingen overskred tidsgrænsen,
    oppkoblingen overskred tidsgrensen, yhteys aikakatkaistu, időtúllépés a kapcsolatban, bağlantıda zaman aşımı,
    λήξη σύνδεσης, просрочена мрежова операция, veza je prekinuta zbog ograničenja vremena čekanja nsa odgovor,
    истекло је време везе, koneksi kehabisan waktu, kết nối đã quá hạn, 接続がタイムアウトしました, 연결 시간 초과, 连接超时, 連線超過時間,
    la connexió ha expirat
  `,
  broken: `
    die verbindung wurde vom kommunikationspartner zurückgesetzt, connexion ré initialisée par le correspondant,
    conexión reinicializada por la máquina remota, connessione interrotta dal corrispondente,
    ligação reposta pelo peer, conexão fechada pela outra ponta, verbinding is weggevallen,
    połączenie zerwane przez drugą stronę, соединение разорвано другой стороной, вузол розірвав з'єднання,
    spojení zrušeno druhou stranou, spojenie zrušené druhou stranou, förbindelse borttagen av partnern,
    forbindelsen brudt i den anden ende, forbindelsen brutt i den andre enden, vastapää sulki yhteyden,
    a kapcsolatot bontotta a távoli fél, bağlantı karşıdan kesildi, η σύνδεση έκλεισε από το ταίρι,
    едностранно прекъсване на връзката от отсрещната страна, везу је поново поставио парњак,
    koneksi direset oleh peer, kết nối bị đặt lại bởi ngang hàng, 接続が相手からリセットされました, 상대편이 연결을 끊음, 连接被对方重设, 連線被對方重設,
    la màquina remota ha reiniciat la connexió, tubería rota, pipe interrotta, túnel quebrado, pipe quebrado,
    gebroken pijp, przerwany potok, обрыв канала, канал обірвано, prerušená rúra, brutet rör, kanalen blev brudt,
    røret ble brutt, katkennut putki, törött adatcsatorna, veri alınamıyor, διακοπείσα σωλήνωση, прекъснат канал,
    prekinuta cijev, оштећена спојка, pipa rusak, ống dẫn bị hỏng, 파이프가 깨어짐, 断开的管道, 管線損壞, la canonada s'ha trencat
  `,
  unconnected: `
    verbindungsaufbau abgelehnt, connexion refusée, conexión rehusada, connessione rifiutata, ligação recusada,
    conexão recusada, verbinding is geweigerd, połączenie odrzucone, в соединении отказано, у з'єднанні відмовлено,
    spojení odmítnuto, spojenie odmietnuté, förbindelsen förvägrad, opkobling nægtet, oppkobling nektes,
    yhteys torjuttu, kapcsolat elutasítva, bağlantı reddedildi, απόρριψη σύνδεσης, отказано свързване,
    veza odbijena, веза је одбијена, koneksi ditolak, kết nối bị từ chối, 接続を拒否されました, 연결이 거부됨, 拒绝连接, 連線被拒絕,
    s'ha refusat la connexió, keine route zum zielrechner, aucun chemin d'accès pour atteindre l'hôte cible,
    nessun instradamento per l'host, sem caminho para o anfitrião, não há rota para o host, geen route naar host,
    brak trasy do hosta, нет маршрута до узла, немає маршруту до вузла, k počítači neexistuje cesta,
    cesta k počítaču neexistuje, ingen väg till värd, ingen rute til værtsmaskinen, ingen rute til vertsmaskinen,
    reititystä koneeseen ei ole, nincs útvonal a gép felé, makinaya ağ üzerinden yol yok,
    δεν υπάρχει διαδρομή στο σύστημα, няма маршрут до компютъра, нема путање до рачунара, tidak ada rute ke host,
    không có đường dẫn đến máy, ホストへの経路がありません, 호스트로 갈 루트가 없음, 没有到主机的路由, 找不到通往該主機的路由路徑,
    no hi ha cap camí cap a l'estació, das netzwerk ist nicht erreichbar, le réseau n'est pas accessible,
    la red es inaccesible, la rete non è raggiungibile, rede inacessível, a rede está fora de alcance,
    netwerk is onbereikbaar, sieć jest niedostępna, сеть недоступна, не вдалося отримати доступ до мережі,
    síť není dostupná, sieť nie je dostupná, nätverket kan inte nås, netværket er ikke tilgængeligt,
    nettverket er ikke tilgjengelig, verkkoa ei tavoiteta, a hálózat elérhetetlen, ağ erişilebilir durumda değil,
    το δίκτυο δεν είναι προσπελάσιμο, мрежата е недостъпна, mreža nije dostupna, мрежа је недостижна,
    jaringan tidak dapat dicapai, không thể kết nối mạng, ネットワークに届きません, 네트워크가 접근 불가능합니다, 网络不可达, 無法接觸網路,
    la xarxa és inabastable
  `,
  down: `
    die ressource ist zur zeit nicht verfügbar, ressource temporairement non disponible,
    recurso no disponible temporalmente, risorsa temporaneamente non disponibile,
    recurso temporariamente indisponível, hulpbron is tijdelijk onbeschikbaar, zasoby chwilowo niedostępne,
    ресурс временно недоступен, ресурс тимчасово недоступний, prostředek je dočasně nepřístupný,
    zdroj je dočasne neprístupný, resursen tillfälligt otillgänglig, resursen midlertidig utilgængelig,
    ressursen midlertidig utilgjengelig, resurssi ei tilapäisesti ole käytettävissä,
    erőforrás átmenetileg nem érhető el, özkaynak geçici olarak kullanılamaz durumda,
    ο πόρος είναι προσωρινά μη διαθέσιμος, временно недостъпен ресурс, resurs je privremeno nedostupni,
    извориште је тренутно недоступно, sumber daya sementara tidak tersedia, tài nguyên tạm thời không sẵn sàng,
    リソースが一時的に利用できません, 자원이 일시적으로 사용 불가능함, 资源暂时不可用, 資源暫時無法取得, el recurs no es troba disponible temporalment,
    temporärer fehler bei der namensauflösung, échec temporaire dans la résolution du nom,
    fallo temporal en la resolución del nombre, errore temporaneo nella risoluzione del nome,
    falha temporária na resolução de nome, falha temporário na resolução de nome,
    tijdelijk probleem in naamsherleiding, odwzorowanie nazwy jest chwilowo niemożliwe,
    временный сбой в разрешении имен, тимчасова помилка розв'язання назв, dočasná chyba při vyhodnocování jména,
    dočasná chyba pri riešení názvu, namnuppslagning misslyckades temporärt, midlertidig fejl i navneopslag,
    midlertidig feil i navneoppslag, tilapäinen virhe nimenselvityksessä, átmeneti névfeloldási hiba,
    i̇sim çözünürlüğünde geçici başarısızlık, προσωρινή αποτυχία κατά την ανάλυση ονόματος,
    временен неуспех при определянето на име, privremeni neuspjeh u rješavanju imena,
    привремени неуспех одређивања назива, kegagalan sementara dalam resolusi nama, tạm thời không thể phân giải tên,
    名前解決に一時的に失敗しました, name resolution에서 일시적인 실패, 域名解析暂时失败, 解析名稱時發生暫時性錯誤, fallada temporal a la resolució de noms
  `,
  lock: `
    das gerät oder die ressource ist belegt, périphérique ou ressource occupé, dispositivo o recurso ocupado,
    dispositivo o risorsa occupata, dispositivo ou recurso ocupado, dispositivo ou recurso está ocupado,
    apparaat of hulpbron is bezig, urządzenie lub zasoby zajęte, устройство или ресурс занято,
    пристрій або ресурс зайнято, zařízení nebo zdroj jsou používány, zariadenie alebo iný zdroj je používané,
    enhet eller resurs upptagen, enheden eller ressourcen optaget, enheten eller ressursen opptatt,
    laite tai resurssi varattu, az eszköz vagy erőforrás foglalt, aygıt ya da özkaynak meşgul,
    συσκευή ή πόροι είναι απασχολημένοι, заето устройство или ресурс, uređaj ili resurs je zauzeti,
    уређај или извориште је заузето, perangkat atau sumber daya sibuk, thiết bị hoặc tài nguyên đang bận,
    デバイスもしくはリソースがビジー状態です, 장치나 자원이 동작 중, 设备或资源忙, 裝置或系統資源忙碌中, el dispositiu o recurs es troba ocupat
  `,
  taken: `
    die datei existiert bereits, le fichier existe, el fichero ya existe, file già esistente, o ficheiro existe,
    arquivo existe, bestand bestaat al, plik istnieje, файл существует, файл вже існує, soubor již existuje,
    súbor existuje, filen existerar, filen eksisterer, tiedosto on olemassa, a fájl már létezik, dosya var,
    το αρχείο υπάρχει, файлът съществува, datoteka postoji, датотека постоји, berkas telah ada, tập tin đã sẵn có,
    ファイルが存在します, 파일이 있습니다, 文件已存在, 檔案已存在, el fitxer ja existeix, das verzeichnis ist nicht leer,
    le dossier n'est pas vide, el directorio no está vacío, directory non vuota, a pasta não está vazia,
    diretório não vazio, map is niet leeg, katalog nie jest pusty, каталог не пуст, каталог непорожній,
    adresář není prázdný, adresár nie je prázdny, katalog inte tom, filkataloget er ikke tomt,
    filkatalogen er ikke tom, hakemisto ei ole tyhjä, a könyvtár nem üres, dizin boş değil,
    ο κατάλογος δεν είναι κενός, непразна директория, direktorij nije prazan, директоријум није празан,
    direktori tidak kosong, thư mục không rỗng, ディレクトリは空ではありません, 디렉터리가 비어있지 않음, 目录非空, 目錄不是空的,
    el directori no és buit, die adresse wird bereits verwendet, adresse déjà utilisée,
    la dirección ya se está usando, indirizzo già in uso, endereço já em uso, adres is al in gebruik,
    adres jest już w użyciu, адрес уже используется, адресу вже використано, adresa je užívána, adresa je používaná,
    adressen redan upptagen, adressen er allerede i brug, adressen er allerede i bruk, osoite on jo käytössä,
    a cím már használatban van, adres zaten kullanımda, η διεύθυνση υποδοχής είναι ήδη σε χρήση,
    адресът вече се използва, adrese se već koriste, адреса је већ у употреби, alamat telah digunakan,
    địa chỉ đang được dùng, アドレスは既に使用中です, 주소가 이미 사용 중입니다, 地址已在使用, 位址已經有在使用, l'adreça ja és en ús
  `,
  state: `
    das dateisystem ist nur lesbar, système de fichiers accessible en lecture seulement,
    sistema de ficheros de sólo lectura, file system in sola lettura, sistema de ficheiros só de leitura,
    sistema de arquivos somente para leitura, bestandssysteem is alleen lezen, system plików wyłącznie do odczytu,
    файловая система доступна только для чтения, файлова система тільки для зчитування,
    systém souborů je pouze pro čtení, súborový systém dovoľuje len čítanie, skrivskyddat filsystem,
    filsystem med kun læseadgang, filsystem med kun lesetilgang, kirjoitussuojattu tiedostojärjestelmä,
    írásvédett fájlrendszer, salt okunur dosya sistemi, αναγνώσιμο μόνο σύστημα αρχείων,
    файлова система само за четене, datotečni sustav je samo za čitanje, систем датотека само за читање,
    sistem berkas baca saja, hệ thống tập tin chỉ cho đọc, 読み込み専用ファイルシステムです, 읽기전용 파일 시스템, 只读文件系统, 唯讀的檔案系統,
    el sistema de fitxers és només de lectura
  `,
  invalid: `
    ist kein verzeichnis, n'est pas un dossier, no es un directorio, non è una directory, não é pasta,
    não é um diretório, is geen map, nie jest katalogiem, это не каталог, не є каталогом, není adresářem,
    nie je adresár, inte en katalog, ikke et katalog, ikke en filkatalog, ei ole hakemisto, nem könyvtár,
    bir dizin değil, δεν είναι κατάλογος, не е директория, nije direktorij, није директоријум,
    bukan sebuah direktori, không phải là một thư mục, ディレクトリではありません, 디렉터리가 아닙니다, 不是目录, 並不是一個目錄, no és un directori,
    ist ein verzeichnis, est un dossier, es un directorio, è una directory, é pasta, é um diretório, is een map,
    jest katalogiem, это каталог, є каталогом, je adresářem, je adresár, är en katalog, er et filkatalog,
    er en filkatalog, on hakemisto, ez egy könyvtár, bir dizin, είναι κατάλογος, директория е, to je direktorij,
    то је фасцикла, adalah sebuah direktori, là một thư mục, ディレクトリです, 디렉터리입니다, 是一个目录, 是個目錄, és un directori,
    das argument ist ungültig, argument invalide, argumento inválido, argomento non valido, ongeldig argument,
    zły argument, недопустимый аргумент, некоректний аргумент, nepřípustný argument, neprípustný argument,
    ogiltigt argument, ugyldigt argument, ugyldig argument, virheellinen argumentti, érvénytelen argumentum,
    geçersiz argüman, μη έγκυρη παράμετρος, неправилен аргумент, nevaljani argument, неисправан аргумент,
    argumen tidak valid, đối số không hợp lệ, 無効な引数です, 부적절한 인수, 无效的参数, 不適用的引數, l'argument passat no és vàlid,
    fehler im format der programmdatei, formato de ejecutable incorrecto, formato eseguibile non valido,
    erro de formato do executável, erro no formato exec, verkeerd uitvoerbaar bestand,
    błędny format pliku wykonywalnego, ошибка формата выполняемого файла, chybný formát spustitelného souboru,
    chybný formát spustiteľného súboru, formatfel på körbar fil, ugyldigt format på eksekverbar fil,
    ugyldig format på eksekverbar fil, käynnistettävän tiedoston muoto virheellinen,
    érvénytelen végrehajtható fájlformátum, çalıştırılabilir biçem hatası, σφάλμα στη διαμόρφωση του εκτελέσιμου,
    неправилен формат за изпълним файл, greška u formatu izvršne datoteke, грешка формата извршавања,
    format eksekusi error, lỗi định dạng thực hiện, 実行形式エラー, exec 형식 오류, 可执行文件格式错误, 可執行檔格式錯誤,
    l'executable té un format erroni
  `,
  absent: `
    datei oder verzeichnis nicht gefunden, aucun fichier ou dossier de ce type,
    no existe el fichero o el directorio, file o directory non esistente, ficheiro ou pasta inexistente,
    arquivo ou diretório inexistente, bestand of map bestaat niet, nie ma takiego pliku ani katalogu,
    нет такого файла или каталога, немає такого файла або каталогу, adresář nebo soubor neexistuje,
    adresár alebo súbor neexistuje, filen eller katalogen finns inte, ingen sådan fil eller filkatalog,
    ingen slik fil eller filkatalog, tiedostoa tai hakemistoa ei ole, nincs ilyen fájl vagy könyvtár,
    böyle bir dosya ya da dizin yok, δεν υπάρχει τέτοιο αρχείο ή κατάλογος, няма такъв файл или директория,
    nema takve datoteke ili direktorija, нема такве датотеке или директоријума,
    tidak ada berkas atau direktori seperti itu, không có tập tin hoặc thư mục như vậy, そのようなファイルやディレクトリはありません,
    그런 파일이나 디렉터리가 없습니다, 没有那个文件或目录, 沒有此一檔案或目錄, el fitxer o directori no existeix,
    der name oder der dienst ist nicht bekannt, nom ou service inconnu, nombre o servicio desconocido,
    nome o servizio sconosciuto, nome ou serviço desconhecidos, nome ou serviço desconhecido,
    naam of dienst is niet bekend, ta nazwa lub usługa jest nieznana, неизвестное имя или служба,
    невідома назва чи сервіс, neznámé jméno nebo služba, názov alebo služba neznáme, namn eller tjänst okänd,
    navn eller tjeneste ukendt, navn eller tjeneste ukjent, nimeä tai palvelua ei tunneta,
    a név vagy a szolgáltatás nem ismert, i̇sim ya da servis bilinmiyor, το όνομα ή η υπηρεσία δεν είναι γνωστά,
    не е известно името на услугата, ime ili servis nije poznato, није познат назив или сервер,
    nama atau layanan tidak diketahui, không rõ tên hoặc dịch vụ, 名前またはサービスが不明です, 이름 혹은 서비스를 알 수 없습니다, 未知的名称或服务,
    名稱或服務未知, el nom o servei no és conegut
  `,
  comparison: `
    der dateiname ist zu lang, nom de fichier trop long, nombre de fichero demasiado largo,
    nome del file troppo lungo, nome de ficheiro muito grande, nome de arquivo muito longo, bestandsnaam is te lang,
    za długa nazwa pliku, слишком длинное имя файла, файл є занадто великим, příliš dlouhé jméno souboru,
    meno súboru príliš dlhé, för långt filnamn, for langt filnavn, liian pitkä tiedostonimi, túl hosszú fájlnév,
    dosya ismi çok uzun, πολύ μεγάλο όνομα αρχείου, твърде дълго файлово име, ime datoteke je predugačko,
    назив датотеке је предуг, nama berkas terlalu panjang, tên tập tin quá dài, ファイル名が長すぎます, 파일 이름이 너무 깁니다, 文件名过长,
    檔名太長, el nom de fitxer és massa llarg
  `
}

let messages: ReadonlySet<string> | undefined

/** True if a text in lower case is a message of the C library in one of these languages. */
export const isSystemMessage = (text: string): boolean => {
  messages ??= new Set(
    Object.values(system).flatMap((list) => list.split(",").map((term) => term.trim().replaceAll(/\s+/g, " ")))
  )
  return messages.has(text)
}
