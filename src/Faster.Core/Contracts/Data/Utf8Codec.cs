using System.Buffers;
using System.ComponentModel;
using System.Runtime.CompilerServices;
using System.Text;

namespace Faster.Contracts;

/// <summary>
/// Encodes strings as records store them: UTF-8, without a terminator. Lone surrogates are rejected, not replaced.
/// Thread-safe.
/// </summary>
[EditorBrowsable(EditorBrowsableState.Never)]
public static class Utf8Codec
{
    private static readonly UTF8Encoding Strict =
        new(encoderShouldEmitUTF8Identifier: false, throwOnInvalidBytes: true);

    /// <summary>Writes a string's UTF-8 bytes to <paramref name="destination"/>.</summary>
    /// <param name="value">The string to encode.</param>
    /// <param name="destination">Receives the bytes.</param>
    /// <param name="name">The caller's expression for the string, used in the exception.</param>
    /// <exception cref="ArgumentNullException">The string is null.</exception>
    /// <exception cref="EncoderFallbackException">The string contains a lone surrogate.</exception>
    public static void Encode(
        string value, IBufferWriter<byte> destination, [CallerArgumentExpression(nameof(value))] string? name = null)
    {
        ArgumentNullException.ThrowIfNull(value, name);
        ArgumentNullException.ThrowIfNull(destination);
        Span<byte> space = destination.GetSpan(Strict.GetMaxByteCount(value.Length));
        destination.Advance(Strict.GetBytes(value, space));
    }

    /// <summary>Reads a string from its UTF-8 bytes.</summary>
    /// <exception cref="DecoderFallbackException">The bytes are not valid UTF-8.</exception>
    public static string Decode(ReadOnlySpan<byte> bytes) => Strict.GetString(bytes);
}
