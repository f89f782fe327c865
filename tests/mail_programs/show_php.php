<?php
// mailparse. Paths in, one JSON line a message out.
error_reporting(0);
ini_set('memory_limit', '1G');

function decoded($bytes, $charset) {
    foreach (['mb_convert_encoding' => [$bytes, 'UTF-8', $charset], 'iconv' => [$charset, 'UTF-8//IGNORE', $bytes]] as $convert => $arguments) {
        try {
            $text = $charset ? @$convert(...$arguments) : false;
        } catch (Throwable $unknown) {
            $text = false;
        }
        if ($text !== false && $text !== '') return $text;
    }
    return mb_check_encoding($bytes, 'UTF-8') ? $bytes : mb_convert_encoding($bytes, 'UTF-8', 'Windows-1252');
}

function by_mailparse($raw) {
    $parts = [];
    $message = mailparse_msg_create();
    if (!mailparse_msg_parse($message, $raw)) return $parts;
    foreach (mailparse_msg_get_structure($message) as $number) {
        $part = mailparse_msg_get_part($message, $number);
        $data = mailparse_msg_get_part_data($part);
        $type = $data['content-type'];
        if (strpos($type, 'multipart/') === 0 || $type === 'message/rfc822') continue;
        ob_start();
        mailparse_msg_extract_part($part, $raw, function ($piece) { echo $piece; });
        $name = $data['disposition-filename'] ?? $data['content-name'] ?? '';
        $parts[] = ['type' => $type, 'name' => $name, 'text' => decoded(ob_get_clean(), $data['content-charset'] ?? $data['charset'] ?? null)];
    }
    return $parts;
}

while (($path = fgets(STDIN)) !== false) {
    $path = trim($path);
    $raw = file_get_contents($path);
    try {
        $parts = by_mailparse($raw);
    } catch (Throwable $fault) {
        $parts = [];
    }
    echo json_encode(['file' => $path, 'program' => 'PHP mailparse', 'parts' => $parts], JSON_INVALID_UTF8_SUBSTITUTE), "\n";
}
