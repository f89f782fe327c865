import java.io.BufferedReader;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.ByteBuffer;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import javax.mail.Part;
import javax.mail.Session;
import javax.mail.internet.ContentType;
import javax.mail.internet.MimeMessage;
import javax.mail.internet.MimeUtility;
import org.apache.james.mime4j.dom.Entity;
import org.apache.james.mime4j.dom.Message;
import org.apache.james.mime4j.dom.Multipart;
import org.apache.james.mime4j.dom.SingleBody;
import org.apache.james.mime4j.message.DefaultMessageBuilder;
import org.apache.james.mime4j.stream.MimeConfig;

/** JavaMail and Apache mime4j (James, K-9 Mail). Paths in, one JSON line a message out. */
public class Show {
    static final int DEEPEST = 60;

    static String quoted(String text) {
        StringBuilder out = new StringBuilder("\"");
        for (char c : (text == null ? "" : text).toCharArray()) {
            if (c == '"' || c == '\\') out.append('\\').append(c);
            else if (c < 32 || c > 126) out.append(String.format("\\u%04x", (int) c));
            else out.append(c);
        }
        return out.append('"').toString();
    }

    static String decoded(byte[] bytes, String charset) {
        try {
            if (charset != null) return new String(bytes, Charset.forName(charset));
        } catch (IllegalArgumentException unknown) {
            // As if nothing were said.
        }
        try {
            return StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString();
        } catch (IOException invalid) {
            return new String(bytes, StandardCharsets.ISO_8859_1);
        }
    }

    static byte[] all(InputStream in) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        byte[] buffer = new byte[8192];
        try {
            for (int n = in.read(buffer); n > 0; n = in.read(buffer)) out.write(buffer, 0, n);
        } catch (IOException damaged) {
            // As far as it goes.
        }
        return out.toByteArray();
    }

    static String part(String type, String name, String text) {
        return "{\"type\":" + quoted(type) + ",\"name\":" + quoted(name) + ",\"text\":" + quoted(text) + "}";
    }

    static void mime4j(Entity entity, List<String> parts, int depth) throws Exception {
        if (depth > DEEPEST) return;
        if (entity.getBody() instanceof Multipart) {
            for (Entity inner : ((Multipart) entity.getBody()).getBodyParts()) mime4j(inner, parts, depth + 1);
        } else if (entity.getBody() instanceof Message) {
            mime4j((Message) entity.getBody(), parts, depth + 1);
        } else if (entity.getBody() instanceof SingleBody) {
            byte[] bytes = all(((SingleBody) entity.getBody()).getInputStream());
            parts.add(part(entity.getMimeType(), entity.getFilename(), decoded(bytes, entity.getCharset())));
        }
    }

    static void javaMail(Part part, List<String> parts, int depth) throws Exception {
        if (depth > DEEPEST) return;
        Object content = null;
        try {
            if (part.isMimeType("multipart/*") || part.isMimeType("message/rfc822")) content = part.getContent();
        } catch (Exception unreadable) {
            // A leaf.
        }
        if (content instanceof javax.mail.Multipart) {
            javax.mail.Multipart multipart = (javax.mail.Multipart) content;
            for (int at = 0; at < multipart.getCount(); at++) javaMail(multipart.getBodyPart(at), parts, depth + 1);
            return;
        }
        if (content instanceof Part) {
            javaMail((Part) content, parts, depth + 1);
            return;
        }
        String type = part.getContentType();
        String charset = null;
        try {
            ContentType label = new ContentType(type);
            type = label.getBaseType().toLowerCase();
            charset = MimeUtility.javaCharset(label.getParameter("charset"));
        } catch (Exception odd) {
            // The label as it stands.
        }
        String name = "";
        try {
            name = part.getFileName();
        } catch (Exception odd) {
            // None.
        }
        parts.add(part(type, name, decoded(all(part.getInputStream()), charset)));
    }

    interface Reader {
        void read(byte[] raw, List<String> parts) throws Exception;
    }

    static void show(PrintStream out, String path, String program, Reader reader) throws IOException {
        List<String> parts = new ArrayList<>();
        try {
            reader.read(Files.readAllBytes(Paths.get(path)), parts);
        } catch (Exception | StackOverflowError fault) {
            // It shows what it showed so far.
        }
        out.println("{\"file\":" + quoted(path) + ",\"program\":" + quoted(program) + ",\"parts\":[" + String.join(",", parts) + "]}");
    }

    public static void main(String[] arguments) throws Exception {
        System.setProperty("mail.mime.base64.ignoreerrors", "true");
        System.setProperty("mail.mime.uudecode.ignoreerrors", "true");
        System.setProperty("mail.mime.multipart.ignoremissingendboundary", "true");
        BufferedReader paths = new BufferedReader(new InputStreamReader(System.in));
        PrintStream out = new PrintStream(new FileOutputStream(FileDescriptor.out), true, "UTF-8");
        Session session = Session.getInstance(new Properties());
        DefaultMessageBuilder builder = new DefaultMessageBuilder();
        builder.setMimeEntityConfig(MimeConfig.custom().setMaxLineLen(-1).setMaxHeaderLen(-1).setMaxHeaderCount(-1).build());
        for (String path = paths.readLine(); path != null; path = paths.readLine()) {
            show(out, path, "mime4j", (raw, parts) -> mime4j(builder.parseMessage(new ByteArrayInputStream(raw)), parts, 0));
            show(out, path, "JavaMail", (raw, parts) -> javaMail(new MimeMessage(session, new ByteArrayInputStream(raw)), parts, 0));
        }
    }
}
