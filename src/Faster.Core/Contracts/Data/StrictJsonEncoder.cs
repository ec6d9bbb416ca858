using System.Buffers;
using System.Text;
using System.Text.Encodings.Web;
using System.Text.Unicode;

namespace Faster.Contracts;

/// <summary>
/// Escapes JSON strings as <see cref="JavaScriptEncoder.Default"/> does, but rejects text that is not valid Unicode,
/// which that one replaces by U+FFFD: different strings would have the same bytes. Thread-safe.
/// </summary>
/// <remarks>
/// The writer asks for the first character to escape once for each whole string, so that is the place to look.
/// </remarks>
internal sealed class StrictJsonEncoder : JavaScriptEncoder
{
    public override int MaxOutputCharactersPerInputCharacter => Default.MaxOutputCharactersPerInputCharacter;

    public override unsafe int FindFirstCharacterToEncode(char* text, int textLength)
    {
        Reject(new ReadOnlySpan<char>(text, textLength));
        return Default.FindFirstCharacterToEncode(text, textLength);
    }

    public override int FindFirstCharacterToEncodeUtf8(ReadOnlySpan<byte> utf8Text)
    {
        if (!Utf8.IsValid(utf8Text)) throw new EncoderFallbackException("A JSON string is not valid UTF-8.");
        return Default.FindFirstCharacterToEncodeUtf8(utf8Text);
    }

    public override bool WillEncode(int unicodeScalar) => Default.WillEncode(unicodeScalar);

    public override unsafe bool TryEncodeUnicodeScalar(
        int unicodeScalar, char* buffer, int bufferLength, out int numberOfCharactersWritten) =>
        Default.TryEncodeUnicodeScalar(unicodeScalar, buffer, bufferLength, out numberOfCharactersWritten);

    public override OperationStatus Encode(
        ReadOnlySpan<char> source, Span<char> destination, out int charsConsumed, out int charsWritten,
        bool isFinalBlock = true) =>
        Default.Encode(source, destination, out charsConsumed, out charsWritten, isFinalBlock);

    public override OperationStatus EncodeUtf8(
        ReadOnlySpan<byte> utf8Source, Span<byte> utf8Destination, out int bytesConsumed, out int bytesWritten,
        bool isFinalBlock = true) =>
        Default.EncodeUtf8(utf8Source, utf8Destination, out bytesConsumed, out bytesWritten, isFinalBlock);

    private static void Reject(ReadOnlySpan<char> text)
    {
        int first = text.IndexOfAnyInRange('\ud800', '\udfff');
        if (first < 0) return;
        ReadOnlySpan<char> rest = text[first..];
        while (!rest.IsEmpty)
        {
            if (Rune.DecodeFromUtf16(rest, out _, out int length) != OperationStatus.Done)
            {
                throw new EncoderFallbackException(
                    $"A string to be stored as JSON has a lone surrogate, U+{(int)rest[0]:X4}, at index "
                    + $"{text.Length - rest.Length}: it is not valid Unicode. Store such text as byte[].");
            }

            rest = rest[length..];
        }
    }
}
