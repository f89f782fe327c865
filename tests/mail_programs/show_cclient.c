/* c-client (Alpine, UW IMAP): parses a message in memory. Paths in, one JSON line a message out. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include <c-client/c-client.h>

/* What the library tells its program. */
void mm_searched(MAILSTREAM *s, unsigned long n) {}
void mm_exists(MAILSTREAM *s, unsigned long n) {}
void mm_expunged(MAILSTREAM *s, unsigned long n) {}
void mm_flags(MAILSTREAM *s, unsigned long n) {}
void mm_notify(MAILSTREAM *s, char *text, long error) {}
void mm_list(MAILSTREAM *s, int delimiter, char *name, long attributes) {}
void mm_lsub(MAILSTREAM *s, int delimiter, char *name, long attributes) {}
void mm_status(MAILSTREAM *s, char *mailbox, MAILSTATUS *status) {}
void mm_log(char *text, long error) {}
void mm_dlog(char *text) {}
void mm_login(NETMBX *box, char *user, char *password, long trial) {}
void mm_critical(MAILSTREAM *s) {}
void mm_nocritical(MAILSTREAM *s) {}
long mm_diskerror(MAILSTREAM *s, long code, long serious) { return 0; }
void mm_fatal(char *text) { _exit(1); }

static void quoted(const unsigned char *text, unsigned long length) {
    putchar('"');
    for (unsigned long at = 0; at < length; at++) {
        if (text[at] < 32 || text[at] == '"' || text[at] == '\\' || text[at] == 127) printf("\\u%04x", text[at]);
        else putchar(text[at]);
    }
    putchar('"');
}

static const char *said(PARAMETER *list, const char *name) {
    for (; list; list = list->next)
        if (list->value && !compare_cstring((unsigned char *)list->attribute, (unsigned char *)name)) return list->value;
    return "";
}

static void leaf(BODY *body, unsigned char *text, unsigned long length, int *count) {
    unsigned long size = length;
    unsigned char *decoded = NULL;
    if (body->encoding == ENCBASE64) decoded = rfc822_base64(text, length, &size);
    if (body->encoding == ENCQUOTEDPRINTABLE) decoded = rfc822_qprint(text, length, &size);
    SIZEDTEXT bytes = { .data = decoded ? decoded : text, .size = decoded ? size : length }, unicode = { 0 };
    char *charset = (char *)said(body->parameter, "charset");
    int known = *charset && utf8_text(&bytes, charset, &unicode, 0);
    const char *name = said(body->disposition.parameter, "filename");
    if (!*name) name = said(body->parameter, "name");
    char type[200];
    snprintf(type, sizeof type, "%s/%s", body_types[body->type], body->subtype ? body->subtype : "PLAIN");
    for (char *at = type; *at; at++) if (*at >= 'A' && *at <= 'Z') *at += 32;
    printf("%s{\"type\":", (*count)++ ? "," : "");
    quoted((unsigned char *)type, strlen(type));
    printf(",\"name\":");
    quoted((unsigned char *)name, strlen(name));
    printf(",\"text\":");
    if (known) quoted(unicode.data, unicode.size);
    else quoted(bytes.data, bytes.size);
    printf("}");
    if (decoded) fs_give((void **)&decoded);
    if (known && unicode.data != bytes.data) fs_give((void **)&unicode.data);
}

static void leaves(BODY *body, unsigned char *text, unsigned long length, int *count, int depth) {
    if (!body || depth > 60) return;
    if (body->type == TYPEMULTIPART) {
        for (PART *part = body->nested.part; part; part = part->next) leaves(&part->body, text, length, count, depth + 1);
    } else if (body->type == TYPEMESSAGE && body->nested.msg && body->nested.msg->body) {
        leaves(body->nested.msg->body, text, length, count, depth + 1);
    } else {
        unsigned long start = body->contents.offset, size = body->contents.text.size;
        if (start > length) return;
        leaf(body, text + start, size > length - start ? length - start : size, count);
    }
}

static void show(const char *path, unsigned char *message, unsigned long length) {
    unsigned long head = length;
    for (unsigned long at = 0; at + 3 < length; at++)
        if (!memcmp(message + at, "\r\n\r\n", 4)) { head = at + 2; break; }
    unsigned long start = head + 2 <= length ? head + 2 : length;
    /* It writes where the header ends. */
    char *header = fs_get(head + 1);
    memcpy(header, message, head);
    header[head] = 0;
    ENVELOPE *envelope = NULL;
    BODY *body = NULL;
    STRING text;
    INIT(&text, mail_string, message + start, length - start);
    rfc822_parse_msg(&envelope, &body, header, head, &text, "localhost", 0);
    int count = 0;
    printf("{\"file\":");
    quoted((const unsigned char *)path, strlen(path));
    printf(",\"program\":\"c-client\",\"parts\":[");
    leaves(body, message + start, length - start, &count, 0);
    printf("]}\n");
    mail_free_envelope(&envelope);
    mail_free_body(&body);
    fs_give((void **)&header);
}

int main(void) {
    static char path[4096];
    while (fgets(path, sizeof path, stdin)) {
        path[strcspn(path, "\n")] = 0;
        FILE *file = fopen(path, "rb");
        if (!file) continue;
        fseek(file, 0, SEEK_END);
        long length = ftell(file);
        rewind(file);
        unsigned char *message = malloc(length + 1);
        if (message && fread(message, 1, length, file) == (size_t)length) {
            /* In a process of its own: some charsets end it, and then it shows nothing. */
            pid_t child = fork();
            if (child == 0) {
                show(path, message, length);
                fflush(stdout);
                _exit(0);
            }
            int ended = 1;
            if (child < 0 || waitpid(child, &ended, 0) != child) return 1;
            if (ended != 0) {
                printf("{\"file\":");
                quoted((const unsigned char *)path, strlen(path));
                printf(",\"program\":\"c-client\",\"parts\":[]}\n");
                fflush(stdout);
            }
        }
        free(message);
        fclose(file);
    }
    return 0;
}
