namespace Faster.Generators.Tests.Fakes;

/// <summary>Stores with transactions, as users would write them, on an engine that can't be run.</summary>
internal static class TransactionSources
{
    /// <summary>The engine without capabilities, and with transactions.</summary>
    public static readonly string Engine = MemoryEngine.Source
        .Replace("Contracts.IEngineSession", "Contracts.ITransactionSession", StringComparison.Ordinal)
        .Replace(Next, Members + Next, StringComparison.Ordinal);

    /// <summary>Each kind of parameter, where the values are worked on in place and where they may be absent.</summary>
    public static readonly string Bank = $$"""
        namespace Demo;

        {{Engine}}

        [Store(Engine = typeof(MemoryEngine), Key = typeof(long))]
        public static partial class Bank
        {
            [Transaction] static bool Transfer(ref long from, ref long to, long amount)
            {
                if (from < amount) return false;
                from -= amount;
                to += amount;
                return true;
            }
            [Transaction] static void Audit(in long first, ref readonly long second, out long sum) =>
                sum = first + second;
            [Transaction] static void Close(ref long? account, ref long? heir)
            {
                heir = (heir ?? 0) + (account ?? 0);
                account = null;
            }
            [Transaction] static bool PayAll(
                ref long payer, [KeyOf(nameof(payer))] long key, Records<long> payees, in ReadOnlyRecords<long> rates,
                long @long)
            {
                for (int i = 0; i < payees.Count; i++)
                {
                    payees[i] += @long * rates[i];
                    payer -= @long * rates[i];
                }
                return payer >= key;
            }
            static void PayAll(ref long payer, long key) { }
            [Transaction] static void Sweep(ReadOnlyRecords<long?> from, ref long? to, Records<long?> more)
            {
                for (int i = 0; i < from.Count; i++) to = (to ?? 0) + (from[i] ?? 0);
                for (int i = 0; i < more.Count; i++) more[i] = null;
            }
            [Transaction] static bool Follow(Transaction<long, long> records, long first, out long last)
            {
                last = records.Read(first).GetValueOrDefault();
                records.Write(last, first);
                return records.Delete(first);
            }
        }
        """;

    /// <summary>Keys and values that are encoded; parameters with names that emitted code might have.</summary>
    public static readonly string Profiles = $$"""
        namespace Demo
        {
        {{Engine}}

        public sealed class Profile { public string Name { get; set; } = ""; public int Visits { get; set; } }

        [System.Text.Json.Serialization.JsonSerializable(typeof(Profile))]
        public sealed partial class Json : System.Text.Json.Serialization.JsonSerializerContext;

        [Store(Engine = typeof(MemoryEngine), Key = typeof(string), SerializerContext = typeof(Json))]
        public static partial class Profiles
        {
            [Transaction] static void Rename(ref Profile? keys, [KeyOf("keys")] string key, string transaction) =>
                keys = new() { Name = transaction + key, Visits = keys?.Visits ?? 0 };
            [Transaction] static bool Merge(
                ref Profile? batch, in Profile? status, Records<Profile?> encoded, out int i)
            {
                i = 0;
                for (int n = 0; n < encoded.Count; n++)
                {
                    i += encoded[n]?.Visits ?? 0;
                    encoded[n] = null;
                }
                batch = new() { Name = status?.Name ?? "", Visits = i };
                return i > 0;
            }
            [Transaction] static void Visit(Transaction<string, Profile> records, string key) =>
                records.Write(key, records.ReadForWrite(key).GetValueOrDefault() ?? new Profile());
        }
        }
        """;

    /// <summary>A store of objects with a transaction of one record.</summary>
    public static string Orders(string record) => $$"""
        namespace Demo
        {
        {{Engine}}

        public sealed class Order;

        [System.Text.Json.Serialization.JsonSerializable(typeof(Order))]
        public sealed partial class Json : System.Text.Json.Serialization.JsonSerializerContext;

        [Store(Engine = typeof(MemoryEngine), Key = typeof(long), SerializerContext = typeof(Json))]
        public static partial class Orders
        {
            [Transaction] static bool Look({{record}}) => true;
        }
        }
        """;

    /// <summary>Text that is never absent.</summary>
    public static readonly string Words = $$"""
        namespace Demo;

        {{Engine}}

        [Store(Engine = typeof(MemoryEngine), Key = typeof(int))]
        public static partial class Words
        {
            [Transaction] static bool Join(ref string first, in string second)
            {
                first += second;
                return first.Length < 100;
            }
        }
        """;

    /// <summary>Bytes on both sides.</summary>
    public static readonly string Notes = $$"""
        namespace Demo;

        {{Engine}}

        [Store(Engine = typeof(MemoryEngine), Key = typeof(byte[]))]
        public static partial class Notes
        {
            [Transaction] static void Copy(
                in ReadOnlySpan<byte> from, ref byte[] to, [KeyOf("to")] ReadOnlySpan<byte> key) =>
                to = [.. from, .. key];
            [Transaction] static void Clear(Records<byte[]?> notes)
            {
                for (int i = 0; i < notes.Count; i++) notes[i] = null;
            }
            [Transaction] static void Move(Transaction<byte[], byte[]> records, byte[] from) =>
                records.Write([1], records.Read(from).GetValueOrDefault() ?? []);
        }
        """;

    private const string Next = "    public void Prefetch<TKey>";

    private const string Members = """
            public TransactionStatus Run<TKey, TKeys, TTransaction>(scoped ref TKeys keys, ref TTransaction transaction)
                where TKey : struct, Faster.Contracts.IKey, allows ref struct
                where TKeys : struct, Faster.Contracts.IKeySet<TKey>, allows ref struct
                where TTransaction : struct, Faster.Contracts.ITransaction => TransactionStatus.Committed;
            public TransactionStatus RunDynamic<TTransaction>(ref TTransaction transaction)
                where TTransaction : struct, Faster.Contracts.IDynamicTransaction => TransactionStatus.Committed;
            public void RunBatch<TKey, TKeys, TTransaction, TBatch>(scoped ref TBatch batch, long? serialNumber)
                where TKey : struct, Faster.Contracts.IKey, allows ref struct
                where TKeys : struct, Faster.Contracts.IKeySet<TKey>, allows ref struct
                where TTransaction : struct, Faster.Contracts.ITransaction
                where TBatch :
                    struct, Faster.Contracts.ITransactionBatch<TKey, TKeys, TTransaction>, allows ref struct { }

        """;
}
