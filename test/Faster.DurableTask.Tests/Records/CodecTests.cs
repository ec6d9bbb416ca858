using System.Collections;
using System.Reflection;
using System.Runtime.CompilerServices;
using DurableTask.Core;
using DurableTask.Core.History;
using DurableTask.Core.Tracing;
using Faster.DurableTask.Records;
using Newtonsoft.Json;

namespace Faster.DurableTask.Tests.Records;

/// <summary>Records are read as they were written, whichever fields they have, and refused otherwise.</summary>
public class CodecTests
{
    public static TheoryData<Type> Events => [.. HistoryEvent.KnownTypes()
        .Where(static type => type.IsPublic && type.Name != "SubOrchestrationInstanceStartedEvent")];

    [Theory]
    [MemberData(nameof(Events))]
    public void Events_of_each_kind_are_read_as_they_were_written(Type kind)
    {
        for (int seed = 0; seed < 50; seed++)
        {
            var written = (HistoryEvent)new Filler(seed).Make(kind);
            RecordWriter record = new();
            byte[] bytes = InstanceRecord.EncodeChunk(record, [written, written]);
            List<HistoryEvent> read = [];
            InstanceRecord.DecodeChunk(bytes, read);
            Assert.Equal(2, read.Count);
            Assert.All(read, one => Assert.Equal(Json(written), Json(one)));
        }
    }

    [Fact]
    public void Messages_states_and_headers_are_read_as_they_were_written()
    {
        RecordWriter record = new();
        for (int seed = 0; seed < 50; seed++)
        {
            Filler filler = new(seed);
            OrchestrationState state = (OrchestrationState)filler.Make(typeof(OrchestrationState));
            InstanceRecord instance = new(state, filler.Text(), seed);
            InstanceRecord read = InstanceRecord.Decode(instance.Encode(record));
            Assert.Equal(Json(state), Json(read.State));
            Assert.Equal((instance.ExecutionId, instance.Chunks), (read.ExecutionId, read.Chunks));
            foreach (ItemKind kind in Enum.GetValues<ItemKind>())
            {
                Item item = MakeItem(filler, kind);
                Item found = Item.Decode(item.Slot, item.Encode(record));
                Assert.Equal(Json(item), Json(found));
            }

            HeaderRecord header = new(Guid.NewGuid(), seed, seed + 1, -seed, long.MaxValue, 7, seed, DateTime.UtcNow);
            Assert.Equal(header, HeaderRecord.Decode(header.Encode(record)));
            PeerRecord peer = new(seed, long.MaxValue, 1);
            Assert.Equal(peer, PeerRecord.Decode(peer.Encode(record)));
        }
    }

    [Fact]
    public void Record_of_a_newer_format_is_refused_by_name()
    {
        byte[] bytes = MakeItem(new Filler(1), ItemKind.Timer).Encode(new RecordWriter());
        bytes[0] = RecordFormat.Current + 1;
        FasterException refused = Assert.Throws<FasterException>(() => Item.Decode(0, bytes));
        Assert.Equal(ErrorReason.RecordFormat, refused.Reason);
        Assert.Contains($"format {RecordFormat.Current + 1}", refused.Message, StringComparison.Ordinal);
    }

    [Fact]
    public void Record_that_ends_early_is_refused_at_each_length()
    {
        byte[] bytes = MakeItem(new Filler(3), ItemKind.Outgoing).Encode(new RecordWriter());
        for (int length = 0; length < bytes.Length; length++)
            Assert.ThrowsAny<InvalidDataException>(() => Item.Decode(0, bytes.AsSpan(0, length)));
    }

    [Fact]
    public void Texts_are_read_as_they_were_written()
    {
        RecordWriter record = new();
        foreach (string? text in new[] { "", "plain", "\u00e4\u65e5\ud83d\ude00", "half \ud83d of a pair", null })
        {
            record.Begin();
            record.Text(text);
            Assert.Equal(text, new RecordReader(record.ToArray()).Text());
        }
    }

    [Theory]
    [InlineData(0)]
    [InlineData(-1)]
    [InlineData(long.MaxValue)]
    [InlineData(long.MinValue)]
    public void Numbers_are_read_as_they_were_written(long number)
    {
        RecordWriter record = new();
        record.Begin();
        record.Number(number);
        Assert.Equal(number, new RecordReader(record.ToArray()).Number());
    }

    private static Item MakeItem(Filler filler, ItemKind kind) => new()
    {
        Slot = 5, Kind = kind, Sequence = 77, Due = kind == ItemKind.Timer ? DateTime.UtcNow : default,
        Destination = kind == ItemKind.Outgoing ? 3 : 0, Number = kind == ItemKind.Outgoing ? 9 : 0,
        Message = new TaskMessage
        {
            OrchestrationInstance = new OrchestrationInstance { InstanceId = "a", ExecutionId = filler.Text() },
            Event = (HistoryEvent)filler.Make(typeof(TaskScheduledEvent)),
            OrchestrationExecutionContext = MessageCodec.Context(new Dictionary<string, string> { ["k"] = "v" }),
        },
    };

    private static string Json(object value) => JsonConvert.SerializeObject(value, Formatting.Indented);

    /// <summary>Fills all fields and properties of a type, some with null.</summary>
    private sealed class Filler(int seed)
    {
        private readonly Random _random = new(seed);
        private int _depth;

        public object Make(Type type)
        {
            _depth++;
            object made = RuntimeHelpers.GetUninitializedObject(type);
            for (Type? part = type; part is not null && part != typeof(object); part = part.BaseType)
            {
                foreach (FieldInfo field in part.GetFields(
                    BindingFlags.Instance | BindingFlags.Public | BindingFlags.NonPublic | BindingFlags.DeclaredOnly))
                {
                    if (field.Name.Contains("ExtensionData", StringComparison.Ordinal)) continue;
                    if (type == typeof(ContinueAsNewEvent) && part == typeof(ExecutionCompletedEvent)
                        && field.FieldType != typeof(string))
                    {
                        // It is always that, and has no failure.
                        field.SetValue(made, field.FieldType == typeof(OrchestrationStatus)
                            ? OrchestrationStatus.ContinuedAsNew
                            : null);
                        continue;
                    }

                    if (field.FieldType == typeof(EventType)) continue;
                    field.SetValue(made, Value(field.FieldType));
                }
            }

            _depth--;
            return made;
        }

        public string? Text() => _random.Next(4) == 0 ? null : "text " + _random.Next(1000);

        private object? Value(Type type)
        {
            if (Nullable.GetUnderlyingType(type) is { } inner) return _random.Next(2) == 0 ? null : Value(inner);
            if (type == typeof(string)) return Text();
            if (type == typeof(int)) return _random.Next(-5, 1000);
            if (type == typeof(long)) return _random.NextInt64(-5, long.MaxValue);
            if (type == typeof(bool)) return _random.Next(2) == 0;
            if (type == typeof(DateTime)) return new DateTime(_random.NextInt64(1L << 58), DateTimeKind.Utc);
            if (type == typeof(DateTimeOffset))
                return new DateTimeOffset(_random.NextInt64(1L << 58, 1L << 59), TimeSpan.FromHours(2));
            if (type.IsEnum) return Enum.ToObject(type, _random.Next(Enum.GetValues(type).Length));
            if (type == typeof(IDictionary<string, string>))
                return _random.Next(3) == 0 ? null : new Dictionary<string, string> { ["a"] = "1", ["b"] = "" };
            if (typeof(IDictionary<string, object?>).IsAssignableFrom(type))
                return _random.Next(3) == 0 ? null : new Dictionary<string, object?> { ["n"] = 1L, ["t"] = "x" };
            if (typeof(IEnumerable).IsAssignableFrom(type)) return null;
            return _depth > 3 || _random.Next(3) == 0 ? null : Make(type);
        }
    }
}
