<?php
// Roundcube's own classes: its MIME reader, the page that it makes of HTML, the links that it makes of text.
// show_roundcube.php FOLDER: the folder with usr/share of the packages. Paths in, one JSON line a message out.
error_reporting(0);
ini_set('memory_limit', '1G');
ini_set('pcre.jit', '1');

$share = "{$argv[1]}/usr/share";
define('RCUBE_LIB_DIR', "$share/roundcube/program/lib/Roundcube/");
define('RCUBE_CHARSET', 'UTF-8');
define('RCUBE_TEMP_CHARSET', 'UTF-8');
define('RCUBE_CONFIG_DIR', sys_get_temp_dir() . '/');
define('RCUBE_INSTALL_PATH', "$share/roundcube/");

spl_autoload_register(function ($class) use ($share) {
    $paths = [RCUBE_LIB_DIR . "$class.php", "$share/php/" . str_replace('\\', '/', $class) . '.php'];
    foreach (array_filter($paths, 'is_file') as $path) {
        require_once $path;
        return;
    }
});

// What the classes ask of the whole program: settings that nobody made, no plugins, no mailbox.
class rcube
{
    public $config;
    public $plugins;
    private static $instance;

    public function __construct()
    {
        $this->config = new class {
            public function get($key, $default = null) { return $default; }
        };
        $this->plugins = new class {
            public function exec_hook($name, $arguments = []) { return $arguments; }
        };
    }

    public static function get_instance() { return self::$instance ??= new rcube(); }
    public static function raise_error() {}
    public static function write_log() {}
    public static function console() {}
    public static function Q($text) { return htmlspecialchars($text); }
    public function __call($name, $arguments) { return null; }
}

function page($html) {
    $washer = new rcube_washtml(['show_washed' => false, 'allow_remote' => true, 'charset' => 'UTF-8', 'html_elements' => ['body', 'link']]);
    return $washer->wash($html);
}

function linked($text) {
    $maker = new rcube_text2html($text, true, ['charset' => 'UTF-8']);
    return $maker->get_html();
}

// The HTML that a reader gets of a part: also of HTML as plain text, for who would rather read that.
function shown($type, $text) {
    if (!preg_match('~^text/html$|xhtml|svg~', $type)) return [linked($text)];
    $plain = new rcube_html2text($text, false, rcube_html2text::LINKS_INLINE, 0);
    return [page($text), linked($plain->get_text())];
}

function parts($raw) {
    $parts = [];
    $todo = [rcube_mime::parse_message($raw)];
    while ($todo) {
        $part = array_shift($todo);
        if (!$part) continue;
        if (!empty($part->parts)) {
            array_push($todo, ...array_values($part->parts));
            continue;
        }
        $type = strtolower($part->mimetype ?: 'text/plain');
        $body = (string) $part->body;
        $text = rcube_charset::convert($body, $part->charset ?: rcube_charset::detect($body, 'ISO-8859-1'));
        if (!preg_match('~^text/|^message/|xhtml|svg~', $type)) continue;
        foreach (shown($type, $text) as $html) {
            $parts[] = ['type' => 'text/html', 'name' => (string) $part->filename, 'text' => $html, 'linked' => true];
        }
    }
    return $parts;
}

while (($path = fgets(STDIN)) !== false) {
    $path = trim($path);
    try {
        $parts = parts(file_get_contents($path));
    } catch (Throwable $fault) {
        $parts = [];
    }
    echo json_encode(['file' => $path, 'program' => 'Roundcube', 'parts' => $parts], JSON_INVALID_UTF8_SUBSTITUTE), "\n";
}
