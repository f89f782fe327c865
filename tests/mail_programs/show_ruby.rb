# The mail gem. Paths in, one JSON line a message out.
require 'json'
require 'mail'
require 'timeout'
STDERR.reopen(File::NULL)

def attempt(otherwise = nil)
  yield
rescue StandardError, SystemStackError
  otherwise
end

def leaves(part, found)
  return part.parts.each { |inner| leaves(inner, found) } if part.multipart?

  if part.mime_type == 'message/rfc822'
    attempt { leaves(Mail.new(part.decoded), found) }
    return
  end
  text = attempt { part.decoded.to_s } || attempt('') { part.body.decoded.to_s }
  text = text.dup.force_encoding('UTF-8') unless text.encoding == Encoding::UTF_8
  name = attempt('') { part.filename.to_s.scrub }
  found << { type: (part.mime_type || 'text/plain').downcase.scrub, name: name, text: text.scrub }
end

STDIN.each_line(chomp: true) do |path|
  found = []
  start = Process.clock_gettime(Process::CLOCK_MONOTONIC)
  attempt { Timeout.timeout(10) { leaves(Mail.new(File.binread(path)), found) } }
  # What rescues everything rescues that as well.
  late = Process.clock_gettime(Process::CLOCK_MONOTONIC) - start >= 10
  puts JSON.generate({ file: path, program: 'Ruby mail', parts: found, late: late })
end
