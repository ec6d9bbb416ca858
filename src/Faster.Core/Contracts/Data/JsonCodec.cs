using System.Buffers;
using System.ComponentModel;
using System.Text.Json;
using System.Text.Json.Serialization;
using System.Text.Json.Serialization.Metadata;

namespace Faster.Contracts;

/// <summary>
/// Encodes keys and values of other types as records store them: UTF-8 JSON, by the user's
/// <c>JsonSerializerContext</c>. Lone surrogates are rejected, not replaced: two keys never become one.
/// </summary>
/// <remarks>
/// Uses no reflection: all metadata comes from the context that System.Text.Json's generator wrote. Thread-safe.
/// </remarks>
[EditorBrowsable(EditorBrowsableState.Never)]
public static class JsonCodec
{
    private static readonly JsonWriterOptions Strict = new() { Encoder = new StrictJsonEncoder() };

    [ThreadStatic] private static Utf8JsonWriter? _writer;

    /// <summary>Looks up a type's metadata in the user's context.</summary>
    /// <typeparam name="T">The type to be serialized.</typeparam>
    /// <param name="context">The context that must know the type.</param>
    /// <exception cref="FasterException">The context does not include the type.</exception>
    public static JsonTypeInfo<T> GetTypeInfo<T>(JsonSerializerContext context)
    {
        ArgumentNullException.ThrowIfNull(context);
        return context.GetTypeInfo(typeof(T)) as JsonTypeInfo<T> ?? throw new FasterException(
            $"{context.GetType()} does not know {typeof(T)}: add [JsonSerializable(typeof({typeof(T).Name}))] to it.");
    }

    /// <summary>Writes a value's UTF-8 JSON to <paramref name="destination"/>.</summary>
    /// <typeparam name="T">The value's type.</typeparam>
    /// <exception cref="ArgumentNullException">
    /// The value is null and of a reference type. A store holds no nulls; delete the key instead.
    /// </exception>
    /// <exception cref="System.Text.EncoderFallbackException">A string in it contains a lone surrogate.</exception>
    public static void Encode<T>(T value, JsonTypeInfo<T> typeInfo, IBufferWriter<byte> destination)
    {
        if (value is null && !typeof(T).IsValueType)
            throw new ArgumentNullException(nameof(value), $"A store holds no null as a {typeof(T)}; delete the key.");
        // The field is cleared while the writer is in use, because a user's converter may call this method again.
        Utf8JsonWriter writer = _writer ?? new Utf8JsonWriter(Stream.Null, Strict);
        _writer = null;
        writer.Reset(destination);
        JsonSerializer.Serialize(writer, value, typeInfo);
        writer.Flush();
        writer.Reset(Stream.Null);
        _writer = writer;
    }

    /// <summary>Reads a value from its bytes.</summary>
    /// <typeparam name="T">The value's type.</typeparam>
    /// <exception cref="FasterException">The bytes are not valid JSON of the type.</exception>
    public static T Decode<T>(ReadOnlySpan<byte> bytes, JsonTypeInfo<T> typeInfo)
    {
        try
        {
            return JsonSerializer.Deserialize(bytes, typeInfo)!;
        }
        catch (JsonException e)
        {
            throw new FasterException(
                ErrorReason.RecordFormat,
                $"A record can't be read as {typeof(T)}: {e.Message} If the type has changed since it was written, let "
                + "it read the old form too, or copy the records to a new store (docs/guide/changing-types.md).", e);
        }
    }
}
