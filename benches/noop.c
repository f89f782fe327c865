/* libmilter doing nothing: collects the body and returns it as it was. The yardstick of
 * benches/milter.rs. Usage: noop SOCKET replies|none */
#include <libmilter/mfapi.h>
#include <stdlib.h>
#include <string.h>

struct mail { unsigned char *body; size_t length, room; };

static int no_replies;

static struct mail *of(SMFICTX *ctx)
{
	struct mail *mail = smfi_getpriv(ctx);
	if (mail == NULL) {
		mail = calloc(1, sizeof *mail);
		smfi_setpriv(ctx, mail);
	}
	return mail;
}

static sfsistat answer(void) { return no_replies ? SMFIS_NOREPLY : SMFIS_CONTINUE; }

static sfsistat on_negotiate(SMFICTX *ctx, unsigned long a0, unsigned long a1, unsigned long a2,
	unsigned long a3, unsigned long *pa0, unsigned long *pa1, unsigned long *pa2, unsigned long *pa3)
{
	(void)ctx; (void)a2; (void)a3;
	*pa0 = a0 & SMFIF_CHGBODY;
	*pa1 = SMFIP_NOHELO | SMFIP_NOUNKNOWN | SMFIP_NODATA | SMFIP_NOEOH | SMFIP_HDR_LEADSPC;
	if (no_replies)
		*pa1 |= SMFIP_NR_CONN | SMFIP_NR_MAIL | SMFIP_NR_RCPT | SMFIP_NR_HDR | SMFIP_NR_BODY;
	*pa1 &= a1;
	*pa2 = *pa3 = 0;
	return SMFIS_CONTINUE;
}

static sfsistat on_connect(SMFICTX *ctx, char *name, _SOCK_ADDR *address)
{
	(void)ctx; (void)name; (void)address;
	return answer();
}

static sfsistat on_address(SMFICTX *ctx, char **args)
{
	(void)ctx; (void)args;
	return answer();
}

static sfsistat on_header(SMFICTX *ctx, char *name, char *value)
{
	(void)ctx; (void)name; (void)value;
	return answer();
}

static sfsistat on_body(SMFICTX *ctx, unsigned char *chunk, size_t length)
{
	struct mail *mail = of(ctx);
	if (mail->length + length > mail->room) {
		mail->room = 2 * (mail->length + length);
		mail->body = realloc(mail->body, mail->room);
	}
	memcpy(mail->body + mail->length, chunk, length);
	mail->length += length;
	return answer();
}

static sfsistat on_end(SMFICTX *ctx)
{
	struct mail *mail = of(ctx);
	if (mail->length > 0)
		smfi_replacebody(ctx, mail->body, (int)mail->length);
	mail->length = 0;
	return SMFIS_ACCEPT;
}

static sfsistat on_close(SMFICTX *ctx)
{
	struct mail *mail = smfi_getpriv(ctx);
	if (mail != NULL) {
		free(mail->body);
		free(mail);
		smfi_setpriv(ctx, NULL);
	}
	return SMFIS_CONTINUE;
}

int main(int argc, char **argv)
{
	struct smfiDesc filter = {
		.xxfi_name = "noop", .xxfi_version = SMFI_VERSION, .xxfi_flags = SMFIF_CHGBODY,
		.xxfi_connect = on_connect, .xxfi_envfrom = on_address, .xxfi_envrcpt = on_address,
		.xxfi_header = on_header, .xxfi_body = on_body, .xxfi_eom = on_end,
		.xxfi_close = on_close, .xxfi_negotiate = on_negotiate,
	};
	if (argc != 3)
		return 2;
	no_replies = strcmp(argv[2], "none") == 0;
	if (smfi_setconn(argv[1]) != MI_SUCCESS || smfi_register(filter) != MI_SUCCESS)
		return 1;
	return smfi_main() == MI_SUCCESS ? 0 : 1;
}
