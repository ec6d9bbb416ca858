namespace Faster.Generators.Tests.Fakes;

/// <summary>Stores of every kind, as users would write them.</summary>
internal static class Sources
{
    public const string Clicks = """
        namespace Demo;

        [Store]
        public static partial class Clicks
        {
            [InitialUpdater] static void Start(long page, long amount, ref long total) => total = amount;
            [InPlaceUpdater]
            static void Add(long page, long amount, ref long total) => Interlocked.Add(ref total, amount);
            [CopyUpdater]    static void Copy(long page, long amount, long old, ref long total) => total = old + amount;
        }
        """;

    public const string Everything = """
        namespace Demo;

        public record struct Point(int X, int Y, int Z);
        public sealed class Caller { public List<string> Heard { get; } = []; }

        public partial class Outer
        {
            [Store(Concurrency = StoreConcurrency.User)]
            internal static partial class Points
            {
                [SingleReader] static void Get(Guid key, string input, in Point value, out string output) =>
                    output = input + value.X;
                [ConcurrentReader] static void Peek(Guid key, string input, Point value, ref string output) =>
                    output = input + value.Y;
                [SingleWriter] static void Put(Guid key, in Point newValue, ref Point value) => value = newValue;
                [ConcurrentWriter] static bool Over(Point newValue, ref Point value)
                {
                    value = newValue;
                    return newValue.X >= 0;
                }
                [InitialUpdater] static void Start(int by, out Point value) => value = new(by, by, by);
                [InPlaceUpdater] static bool Move(Guid key, int by, ref Point value)
                {
                    value.X += by;
                    return true;
                }
                [CopyUpdater] static void Copy(Guid key, int by, Point old, ref Point value) =>
                    value = old with { X = old.X + by };
                [CompletionCallback]
                static void Done(Status status, Caller? context, string output, Exception? error) =>
                    context?.Heard.Add($"{status} {output}");
            }
        }
        """;

    public const string Bytes = """
        namespace Demo;

        [Store]
        public static partial class Blobs
        {
            [InitialUpdater]
            static void Start(ReadOnlySpan<byte> key, ReadOnlySpan<byte> input, IBufferWriter<byte> value) =>
                value.Write(input);
            [InPlaceUpdater] static bool Append(ReadOnlySpan<byte> key, ReadOnlySpan<byte> input, ValueSlot value)
            {
                int length = value.Length;
                if (!value.TryResize(length + input.Length)) return false;
                input.CopyTo(value.Bytes[length..]);
                return true;
            }
            [CopyUpdater]
            static void Copy(
                ReadOnlySpan<byte> key, ReadOnlySpan<byte> input, ReadOnlySpan<byte> old, IBufferWriter<byte> value)
            {
                value.Write(old);
                value.Write(input);
            }
        }
        """;

    public const string Text = """
        namespace Demo;

        [Store(Key = typeof(string))]
        public static partial class Words
        {
            [InPlaceUpdater] static void Append(string input, ref string value) => value += input;
        }
        """;

    public const string Plain = """
        namespace Demo;

        [Store(Key = typeof(int), Value = typeof(byte[]))]
        public static partial class Plain;
        """;

    public const string Serialized = """
        using System.Text.Json.Serialization;
        namespace Demo;

        public sealed record Customer(string Name, int Number);
        public sealed record Order(string Text, List<int> Items);

        [JsonSerializable(typeof(Customer))]
        [JsonSerializable(typeof(Order))]
        public sealed partial class OrdersJson : JsonSerializerContext;

        [Store(SerializerContext = typeof(OrdersJson))]
        public static partial class Orders
        {
            [SingleReader] static void Count(Customer key, Order value, out int output) => output = value.Items.Count;
            [ConcurrentWriter] static void Over(Customer key, Order newValue, ref Order value) => value = newValue;
            [InitialUpdater]
            static void Start(Customer key, int item, ref Order value) => value = new Order(key.Name, [item]);
            [InPlaceUpdater] static void Add(Customer key, int item, ref Order value) => value.Items.Add(item);
        }
        """;

    public const string Merged = """
        namespace Demo;

        [Store]
        public static partial class Merged
        {
            [InitialUpdater] static void Start(long page, long amount, ref long total) => total = amount;
            [InPlaceUpdater] static void Add(long page, long amount, ref long total) => total += amount;
            [CopyUpdater]    static void Copy(long page, long amount, long old, ref long total) => total = old + amount;
            [Merger]         static void Merge(long page, long older, ref long newer) => newer += older;
        }
        """;

    public const string MergedBytes = """
        namespace Demo;

        [Store(Key = typeof(int))]
        public static partial class MergedBytes
        {
            [CopyUpdater]
            static void Copy(ReadOnlySpan<byte> input, ReadOnlySpan<byte> old, IBufferWriter<byte> value)
            {
                value.Write(old);
                value.Write(input);
            }
            [Merger]
            static void Merge(ReadOnlySpan<byte> older, ReadOnlySpan<byte> newer, IBufferWriter<byte> merged)
            {
                merged.Write(older);
                merged.Write(newer);
            }
        }
        """;

    public const string MergedObjects = """
        using System.Text.Json.Serialization;
        namespace Demo;

        public sealed record Tags(HashSet<string> Names);

        [JsonSerializable(typeof(Tags))]
        public sealed partial class TagsJson : JsonSerializerContext;

        [Store(Key = typeof(string), SerializerContext = typeof(TagsJson))]
        public static partial class MergedObjects
        {
            [InitialUpdater] static void Start(string input, ref Tags value) => value = new Tags([input]);
            [InPlaceUpdater] static void Add(string input, ref Tags value) => value.Names.Add(input);
            [Merger] static void Merge(Tags older, ref Tags newer) => newer.Names.UnionWith(older.Names);
        }
        """;

    /// <summary>A store on an engine that has no capability but the operations.</summary>
    public const string OtherEngine = $$"""
        namespace Demo;

        {{MemoryEngine.Source}}

        [Store(Engine = typeof(MemoryEngine), Value = typeof(byte[]))]
        public static partial class Cached
        {
            [InPlaceUpdater] static bool Clear(string key, ValueSlot value) => value.TryResize(0);
            [CopyUpdater] static void Copy(ReadOnlySpan<byte> old, IBufferWriter<byte> value) => value.Write(old);
        }
        """;

    /// <summary>A store on an engine in memory that scans: no commits, no log, no pending operations.</summary>
    public const string Rings = """
        namespace Demo;

        [Store(Engine = typeof(HotRingEngine), Key = typeof(long), Value = typeof(long))]
        public static partial class Rings;
        """;

    /// <summary>One class on three engines, of which one neither commits nor has pending operations.</summary>
    public const string Several = """
        namespace Demo;

        [Store(Also = [typeof(TieredEngine), typeof(HotRingEngine)])]
        public static partial class Several
        {
            [InPlaceUpdater] static void Add(long key, long by, ref long sum) => sum += by;
            [CompletionCallback] static void Done(string context, Status status, long output) { }
        }
        """;

    /// <summary>Updates with an output of the type that reads have.</summary>
    public const string Outputs = """
        namespace Demo;

        [Store]
        public static partial class Tickets
        {
            [InPlaceUpdater] static void Next(int counter, ref long number, out long ticket) => ticket = number++;
            [CompletionCallback] static void Done(Status status, long output, Exception? error) { }
        }
        """;

    /// <summary>Updates of bytes with an output of another type than reads have.</summary>
    public const string OutputsOfBytes = """
        namespace Demo;

        [Store(Key = typeof(string))]
        public static partial class Appended
        {
            [InitialUpdater]
            static void Start(ReadOnlySpan<byte> input, IBufferWriter<byte> value, out string? before)
            {
                value.Write(input);
                before = null;
            }
            [InPlaceUpdater] static bool Append(ReadOnlySpan<byte> input, ValueSlot value, out string? before)
            {
                before = Convert.ToHexString(value.Bytes);
                int length = value.Length;
                if (!value.TryResize(length + input.Length)) return false;
                input.CopyTo(value.Bytes[length..]);
                return true;
            }
            [CopyUpdater]
            static void Copy(
                ReadOnlySpan<byte> input, ReadOnlySpan<byte> old, IBufferWriter<byte> value, out string? before)
            {
                value.Write(old);
                value.Write(input);
                before = Convert.ToHexString(old);
            }
            [CompletionCallback]
            static void Done(List<string> context, Status status, byte[]? output, string? before) { }
        }
        """;

    public static TheoryData<string, string> All => new()
    {
        { nameof(Clicks), Clicks },
        { nameof(Everything), Everything },
        { nameof(Bytes), Bytes },
        { nameof(Text), Text },
        { nameof(Plain), Plain },
        { nameof(Serialized), Serialized },
        { nameof(Merged), Merged },
        { nameof(MergedBytes), MergedBytes },
        { nameof(MergedObjects), MergedObjects },
        { nameof(OtherEngine), OtherEngine },
        { nameof(Rings), Rings },
        { nameof(Several), Several },
        { nameof(Outputs), Outputs },
        { nameof(OutputsOfBytes), OutputsOfBytes },
        { nameof(TransactionSources.Bank), TransactionSources.Bank },
        { nameof(TransactionSources.Profiles), TransactionSources.Profiles },
        { nameof(TransactionSources.Words), TransactionSources.Words },
        { nameof(TransactionSources.Notes), TransactionSources.Notes },
    };
}
