using System.Buffers;
using System.Runtime.CompilerServices;
using System.Text;

namespace Faster.Contracts;

/// <summary>
/// Strings as records hold them: UTF-8, without a terminator. Lone surrogates are refused rather than replaced.
/// </summary>
public static class Utf8Codec
{
    private static readonly UTF8Encoding Strict =
        new(encoderShouldEmitUTF8Identifier: false, throwOnInvalidBytes: true);

    /// <summary>Writes a string's bytes.</summary>
    /// <param name="value">The string.</param>
    /// <param name="destination">Gets the bytes.</param>
    /// <param name="name">What the caller calls the string, for the exception.</param>
    /// <exception cref="ArgumentNullException">The string is null.</exception>
    /// <exception cref="EncoderFallbackException">The string holds half of a surrogate pair.</exception>
    public static void Encode(
        string value, IBufferWriter<byte> destination, [CallerArgumentExpression(nameof(value))] string? name = null)
    {
        ArgumentNullException.ThrowIfNull(value, name);
        ArgumentNullException.ThrowIfNull(destination);
        Span<byte> room = destination.GetSpan(Strict.GetMaxByteCount(value.Length));
        destination.Advance(Strict.GetBytes(value, room));
    }

    /// <summary>Reads a string from its bytes.</summary>
    /// <exception cref="DecoderFallbackException">The bytes are not UTF-8.</exception>
    public static string Decode(ReadOnlySpan<byte> bytes) => Strict.GetString(bytes);
}
