using System.Buffers;
using System.Text;
using System.Text.Json;
using System.Text.Json.Serialization;
using System.Text.Json.Serialization.Metadata;
using Faster.Contracts;
using Faster.Testing;

namespace Faster.Tests.Contracts;

/// <summary>JSON keys and values: what is stored is what was given, or nothing is stored.</summary>
public partial class JsonCodecTests
{
    // A test's arguments pass through UTF-8, so these can't be some.
    private static readonly string[] Invalid =
        ["\ud800", "\udc00", "\udc00\ud800", "a\ud800", "\ud83d\ud83d\ude00", "\ud83d\ude00\ude00",
            new string('x', 5000) + "\udfff"];

    [Fact]
    public void A_lone_surrogate_is_refused_wherever_it_is() => Assert.All(Invalid, text =>
    {
        Assert.Throws<EncoderFallbackException>(() => Encode(text, Known.Default.String));
        Assert.Throws<EncoderFallbackException>(() => Encode(new Order(text, 'a', []), Known.Default.Order));
        Assert.Throws<EncoderFallbackException>(() => Encode(new() { [text] = "" }, Known.Default.Dictionary));
        Assert.Throws<EncoderFallbackException>(() => Encode(new() { [""] = text }, Known.Default.Dictionary));
        Assert.Throws<EncoderFallbackException>(() => Encode([[text]], Known.Default.ListListString));
        Assert.Equal("\"after\"", Encoding.UTF8.GetString(Encode("after", Known.Default.String)));
    });

    [Fact]
    public void A_char_that_is_half_a_pair_is_refused() => Assert.Throws<EncoderFallbackException>(
        () => Encode(new Order("", '\ud800', []), Known.Default.Order));

    [Fact]
    public void Bytes_of_a_converter_that_are_not_text_are_refused() => Assert.Throws<EncoderFallbackException>(
        () => Encode(new Raw([0xff]), Known.Default.Raw));

    [Fact]
    public void Valid_text_is_encoded_as_before_and_decodes_to_itself()
    {
        Random random = TestSeed.NewRandom(1);
        for (int i = 0; i < 2000; i++)
        {
            string text = string.Concat(Enumerable.Range(0, random.Next(40)).Select(_ => AnyRune(random).ToString()));
            var order = new Order(text, 'é', new() { [text] = text });
            byte[] bytes = Encode(order, Known.Default.Order);
            Assert.Equal(JsonSerializer.SerializeToUtf8Bytes(order, Known.Default.Order), bytes);
            Order decoded = JsonCodec.Decode(bytes, Known.Default.Order);
            Assert.Equal((order.Text, order.Letter, text), (decoded.Text, decoded.Letter, decoded.Notes[text]));
        }
    }

    // ASCII, what is escaped, the replacement character itself, and all planes.
    private static Rune AnyRune(Random random) => random.Next(5) switch
    {
        0 => new Rune(random.Next(0x80)),
        1 => new Rune(random.Next(0x80, 0xd800)),
        2 => new Rune(random.Next(0xe000, 0x10000)),
        3 => new Rune(random.Next(0x10000, 0x110000)),
        _ => Rune.ReplacementChar,
    };

    private static byte[] Encode<T>(T value, JsonTypeInfo<T> type)
    {
        var buffer = new ArrayBufferWriter<byte>();
        JsonCodec.Encode(value, type, buffer);
        return buffer.WrittenSpan.ToArray();
    }

    public sealed record Order(string Text, char Letter, Dictionary<string, string> Notes);

    [JsonConverter(typeof(RawConverter))]
    public sealed record Raw(byte[] Bytes);

    public sealed class RawConverter : JsonConverter<Raw>
    {
        public override Raw Read(ref Utf8JsonReader reader, Type typeToConvert, JsonSerializerOptions options) =>
            throw new NotSupportedException();

        public override void Write(Utf8JsonWriter writer, Raw value, JsonSerializerOptions options) =>
            writer.WriteStringValue(value.Bytes);
    }

    [JsonSerializable(typeof(Order))]
    [JsonSerializable(typeof(Raw))]
    [JsonSerializable(typeof(Dictionary<string, string>), TypeInfoPropertyName = "Dictionary")]
    [JsonSerializable(typeof(List<List<string>>))]
    private sealed partial class Known : JsonSerializerContext;
}
