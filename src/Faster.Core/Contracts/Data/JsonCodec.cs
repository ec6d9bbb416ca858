using System.Buffers;
using System.Text.Json;
using System.Text.Json.Serialization;
using System.Text.Json.Serialization.Metadata;

namespace Faster.Contracts;

/// <summary>
/// Keys and values of other types as records hold them: UTF-8 JSON by the user's <c>JsonSerializerContext</c>.
/// </summary>
/// <remarks>No reflection: all metadata comes from the context that System.Text.Json's generator wrote.</remarks>
public static class JsonCodec
{
    [ThreadStatic] private static Utf8JsonWriter? _writer;

    /// <summary>Looks up a type's metadata.</summary>
    /// <typeparam name="T">The type.</typeparam>
    /// <param name="context">The user's context.</param>
    /// <exception cref="FasterException">The context does not know the type.</exception>
    public static JsonTypeInfo<T> GetTypeInfo<T>(JsonSerializerContext context)
    {
        ArgumentNullException.ThrowIfNull(context);
        return context.GetTypeInfo(typeof(T)) as JsonTypeInfo<T> ?? throw new FasterException(
            $"{context.GetType()} does not know {typeof(T)}: add [JsonSerializable(typeof({typeof(T).Name}))] to it.");
    }

    /// <summary>Writes a value's bytes.</summary>
    /// <typeparam name="T">The value's type.</typeparam>
    /// <exception cref="ArgumentNullException">
    /// The value is null, and of a reference type: a store holds values, and a key without one is deleted.
    /// </exception>
    public static void Encode<T>(T value, JsonTypeInfo<T> typeInfo, IBufferWriter<byte> destination)
    {
        if (value is null && !typeof(T).IsValueType)
            throw new ArgumentNullException(nameof(value), $"A store holds no null as a {typeof(T)}; delete the key.");
        // Taken while in use, because a user's converter could come back here.
        Utf8JsonWriter writer = _writer ?? new Utf8JsonWriter(Stream.Null);
        _writer = null;
        writer.Reset(destination);
        JsonSerializer.Serialize(writer, value, typeInfo);
        writer.Flush();
        writer.Reset(Stream.Null);
        _writer = writer;
    }

    /// <summary>Reads a value from its bytes.</summary>
    /// <typeparam name="T">The value's type.</typeparam>
    /// <exception cref="RecordFormatException">The bytes are not a value of the type.</exception>
    public static T Decode<T>(ReadOnlySpan<byte> bytes, JsonTypeInfo<T> typeInfo)
    {
        try
        {
            return JsonSerializer.Deserialize(bytes, typeInfo)!;
        }
        catch (JsonException e)
        {
            throw new RecordFormatException(
                $"A record can't be read as {typeof(T)}: {e.Message} If the type has changed since it was written, let "
                + "it read the old form too, or copy the records to a new store (docs/CHANGING-TYPES.md).", e);
        }
    }
}
