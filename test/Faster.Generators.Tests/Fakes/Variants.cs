using Faster.Generators.Tests.Emitting;

namespace Faster.Generators.Tests.Fakes;

/// <summary>Classes as users may come to write them: each a file of its own, by what is odd about it.</summary>
internal static class Variants
{
    private const string Add = "[InPlaceUpdater] static void Add(long key, long by, ref long total) => total += by;";
    private const string C = "public static partial class S";
    private const string S = "[Store] " + C + " { ";
    private const string Adds = S + "[InPlaceUpdater] static void Add(";
    private const string Plain = "[Store(Key = typeof(int), Value = typeof(long))] ";

    // Names that are legal in C#, and that file names, keywords or emitted code might not take.
    private static readonly string[] Names =
    [
        "@class", "@record", "@var", "@await", "@file", "@required", "@scoped", "@partial", "@where", "@dynamic",
        "@field",
        "@global", "@nint", "@async", "@extension", "@value", "Größe", "店", "e\u0301", "a\u203Fb", "_", "__",
        "I", "ı",
        "System", "Faster", "Task", "Span", "Key", "Value", "Input", "Context", "Status", "Memory", "Unsafe",
        "Exception",
        "ReadResult", "Guid", "String", "Object", "Form", "Pending", "Keys", "Results", "Clicks",
        new('L', 300),
    ];

    private static readonly string[] Members =
    [
        "public static int Key, Value, Input, Output, Pending, Form;", "public static void Read(int key) { }",
        "public static void Rmw() { }", "public class Found { public class Task; }", "static S() { }",
        "public enum Status { Ok }", "public static long Length => 1;", "internal static void ToRecord() { }",
    ];

    private static readonly string[] Bodies =
    [
        // Names, forms and modifiers of functions.
        S + "[InPlaceUpdater] static void @in(long key, long @ref, ref long @out) { } }",
        S + "[InPlaceUpdater] static void @await(long key, ref long total) { } }",
        S + "[InPlaceUpdater] internal static void Add(in long key, ref readonly long by, "
            + "ref long total) { } }",
        "[Store] public static unsafe partial class S { " + Add + " }",
        "[Store] internal static partial class S { " + Add + " }",
        "[Store] static partial class S { " + Add + " }",
        S + "[Obsolete] " + Add + " }",
        Adds + "long key, long by, scoped ref long total) "
            + "{ } }",
        S + Add + " static void Add(int key, int by, ref long total) { } }",
        S + Add + " } public static partial class S { static int Other() => 1; }",
        S + "[InitialUpdater, InPlaceUpdater] static void Set(int key, long by, "
            + "ref long total) { } }",
        // Nullable contexts.
        "#nullable disable\n[Store(Key = typeof(int))] public static partial class S { [InPlaceUpdater] "
            + "static void Add(string input, ref string value) { } }",
        "[Store(Key = typeof(int))] public static partial class S { [InPlaceUpdater] static void Add(string? input, "
            + "ref string value) { } [InitialUpdater] static void Start(string input, ref string value) { } }",
        "[Store(Key = typeof(int))] " + C + " { [InPlaceUpdater] static void Add(List<string?> input, "
            + "ref long value) { } [InitialUpdater] static void Start(List<string> input, ref long value) { } }",
        S + "[SingleReader] static void Get(int key, long value, out string? output) => "
            + "output = null; [ConcurrentReader] static void Peek(int key, long value, out string output) => "
            + "output = \"\"; }",
        S + "[SingleReader] static void Get(int key, long value, out string output) => "
            + "output = \"\"; [CompletionCallback] static void Done(Status status, string? output, Exception? error) "
            + "{ } }",
        "#nullable disable\n" + S + "[SingleReader] static void Get(int key, long value, "
            + "out string output) => output = \"\"; [CompletionCallback] static void Done(Exception error, "
            + "string output) { } }",
        // Types from everywhere.
        Plain.Replace("long", "Half") + C + ";",
        Plain.Replace("long", "V<int>") + C + "; public struct V<T> { public T A; }",
        Plain.Replace("long", "Outer.V") + C + "; public class Outer { public struct V { public int A; } }",
        Plain.Replace("long", "@int") + C + "; public struct @int { public long A; }",
        Plain.Replace("int", "@int") + C + "; public struct @int { public long A; }",
        Plain.Replace("long", "V") + C + "; public struct V { public required int A; }",
        Plain.Replace("long", "V") + C + "; public readonly struct V { public readonly int A; }",
        Plain.Replace("long", "V") + C + "; public struct V { public int A; public V() { A = 1; } }",
        Plain.Replace("long", "V") + C + "; public unsafe struct V { public fixed byte A[16]; }",
        Plain.Replace("long", "S.V") + "public static partial class S { public struct V { public int A; } }",
        Plain.Replace("long", "Q.Session") + C + "; namespace Q { public struct Session { public int A; } }",
        Plain.Replace("long", "(int A, int B)") + C + ";",
        Plain.Replace("long", "DateTime") + C + ";",
        Plain.Replace("int", "ReadOnlyMemory<byte>") + C + ";",
        Plain.Replace("int", "string") + C + ";",
        Adds + "long key, Action<string?> input, "
            + "ref long total) { } }",
        Adds + "long key, (int A, string? B)[] input, "
            + "ref long total) { } }",
        Adds + "long key, int? input, ref long total) { } }",
        Adds + "long key, CancellationToken input, "
            + "ref long total) { } [CompletionCallback] static void Done(CancellationToken context) { } }",
        Adds + "long key, long? input, ref long total) { } "
            + "[CompletionCallback] static void Done(long? context, Status status) { } }",
        Adds + "long key, object input, ref long total) "
            + "{ } [CompletionCallback] static void Done(object? context) { } }",
        // What surrounds the class.
        "public partial class A { public partial struct B { public partial record C { public partial record struct D { "
            + "public partial interface E { [Store] public static partial class S { " + Add + " } } } } } }",
        "public partial class @class { [Store] public static partial class S { " + Add + " } }",
        "public ref partial struct R { [Store] public static partial class S { " + Add + " } }",
        "public readonly partial struct R { [Store] public static partial class S { " + Add + " } }",
        "public abstract partial class R { [Store] protected internal static partial class S { " + Add + " } }",
        "public partial class R { [Store] private static partial class S { " + Add + " } }",
        "namespace Deep.@namespace.@record { [Store] public static partial class S { " + Add + " } }",
        "namespace Case.A { [Store] public static partial class S { " + Add + " } } "
            + "namespace Case.a { " + S + Add + " } [Store] public static partial class s { " + Add + " } }",
        "using S2 = System.Int64; " + S + "[InPlaceUpdater] static void Add(S2 key, S2 by, "
            + "ref S2 total) { } }",
        "namespace Has.System { public class Object; [Store] public static partial class S { " + Add + " } }",
        "namespace Has.Faster.Contracts { public class Status; [Store] public static partial class S { " + Add + " } }",
        // What a user suppresses or the compiler warns of.
        "#pragma warning disable X1\n" + Plain.Replace("long", "V") + C + "; "
            + "[System.Diagnostics.CodeAnalysis.Experimental(\"X1\")] public struct V { public int A; }",
        "#pragma warning disable X2\n" + S + "[InPlaceUpdater, "
            + "System.Diagnostics.CodeAnalysis.Experimental(\"X2\")] static void Add(int key, ref long total) { } }",
        "#pragma warning disable O1\n" + Plain.Replace("long", "V") + C + "; "
            + "[Obsolete(\"old\", DiagnosticId = \"O1\")] public struct V { public int A; }",
        "#pragma warning disable CS0612\n" + Plain.Replace("long", "V") + C + "; "
            + "[Obsolete] public struct V { public int A; }",
    ];

    // Members and types of names that emitted code uses, or adds to the class.
    private static readonly string[] Shadows =
    [
        S + Add + " static object nameof(object o) => o; }",
        "public partial class O { static object nameof(object o) => o; [Store] public static partial class S { " + Add
            + " } }",
        S + "public struct @nint; public class @nuint; [InPlaceUpdater] static void Add(IntPtr key, UIntPtr[] input, "
            + "ref long total) { } }",
        S + Add + " public static string _ = \"\"; }", S + Add + " public struct TForm; public struct TKey; }",
        S + Add + " static void Do() { var Session = 1; int Record = Session; _ = Record; } }",
        S + Add + " static int Do(int Store) => Store; }",
        S + Add + " static int Do(Q.U u) => u.Session + new Q.U { Session = 1 }.Session + Q.U.Of(Record: 2); } "
            + "namespace Q { public class U { public int Session; public static int Of(int Record) => Record; } } "
            + "public class Session; public class Record;",
        S + Add + " static bool Do(Q.U u) => u is { Session: 1, Record: 2 }; } "
            + "namespace Q { public class U { public int Session, Record; } } public class Session; class Record;",
        S + Add + " static Q.Session Do(Q.Session s) => s; } namespace Q { public class Session; }",
        S + Add + " static object Do() => new Session<int>(); } public class Session<T>;",
        S + Add + " static async Task Do(S.Session s) => await s.RmwAsync(1, 2); } public class Session;",
        S + Add + " static async Task Do(Session s) => await s.RmwAsync(1, 2); }",
        S + Add + " static async Task<Store> Do() => await OpenAsync(null); }",
        "public partial class O { public static int Record(int i) => i; [Store] public static partial class S { " + Add
            + " static int Do() => Record(1); } }",
        "[Store] public static partial class Orders { " + Add + " [Store] public static partial class Lines { " + Add
            + " } }",
        S + Add + " } /// <summary>As <see cref=\"S.Session\"/>.</summary>\npublic class Session;",
    ];

    // Newer C#: extension blocks, field-backed properties, collection parameters and the like.
    private static readonly string[] Newer =
    [
        S + "extension(long page) { [InPlaceUpdater] public void Add(long by, ref long total) => total += by; } }",
        S + "extension(long page) { [InPlaceUpdater] public static void Add(long key, long by, ref long total) => "
            + "total += by; } }",
        S + Add + " extension(Session session) { public ValueTask<Status> Hit(long page) => "
            + "session.RmwAsync(page, 1); } }",
        S + Add + " static int Last { get => field; set => field = value; } }",
        S + "[InPlaceUpdater] static void Add(long key, int[] input, ref long total) => total += Sum(input); "
            + "static long Sum(params ReadOnlySpan<int> all) => all.Length; }",
        Adds + "long key, long by, ref long total) { total += by; L<int>.Of(1); } } "
            + "public static class L<T> where T : allows ref struct { public static void Of(T t) { } }",
        S + "[InPlaceUpdater] static partial void Add(long key, long by, ref long total); "
            + "static partial void Add(long key, long by, ref long total) => total += by; }",
        S + "[SingleReader] static void Get(long key, V value, out int output) => output = value.A; } "
            + "public struct V { public int A { get => field; set => field = value; } }",
        S + "[InPlaceUpdater] static void Add(long key, long by, ref V value) => value += by; } "
            + "public struct V { public long A; public void operator +=(long by) => A += by; }",
        Adds + "long key, nint by, ref nuint total) => total += (nuint)by; }",
        Adds + "long key, Span2 by, ref long total) => total += by.Length; } "
            + "[System.Runtime.CompilerServices.InlineArray(4)] public struct Buffer4 { int _a; } "
            + "public readonly record struct Span2(int Length, Buffer4 Buffer);",
        Adds + "long key, Func<int, int>? by, ref long total) => total += by?.Invoke(1) ?? 0; }",
        S + "[InPlaceUpdater] static void Add(long key, ref long total, out (long Old, long New) output) => "
            + "output = (total, ++total); }",
    ];

    // Types whose names are made of others: in other types, with arguments, less accessible than the class.
    private static readonly string[] Made =
    [
        Plain.Replace("int", "O<Secret>.I") + C + "; public class O<T> { public struct I { public long A; } } "
            + "internal struct Secret;",
        Plain.Replace("long", "O<Secret[]>.I") + C + "; public class O<T> { public struct I { public long A; } } "
            + "internal struct Secret;",
        Adds + "long key, O<Secret>.P<int>.I input, ref long total) { } } internal struct Secret; "
            + "public class O<T> { public class P<U> { public class I; } }",
        Adds + "long key, Dictionary<string, O<Secret>.I>? input, ref long total) { } } internal struct Secret; "
            + "public class O<T> { public class I; }",
        S + "[SingleReader] static void Get(long value, out O<Secret>.I output) => output = new(); "
            + "[InPlaceUpdater] static void Add(long key, ref long value) { } } internal struct Secret; "
            + "public class O<T> { public class I; }",
        S + "internal struct K; [InPlaceUpdater] static void Add(O<K>.I key, ref long value) { } } "
            + "public class O<T> { public struct I { public long A; } }",
        Adds + "long key, (Secret A, int B) input, ref long total) { } } internal struct Secret;",
        Adds + "long key, (int, int, int, int, int, int, int, int, Secret) input, ref long total) { } } "
            + "internal struct Secret;",
    ];

    /// <summary>Files in which nothing is wrong.</summary>
    public static IEnumerable<string> Sound
    {
        get
        {
            int number = 0;
            foreach (string name in Names)
                yield return Wrap(number++, $"{Plain}public static partial class {name};");
            foreach (string name in Names)
                yield return $"namespace N{number++}.{name} {{ [Store] public static partial class S {{ {Add} }} }}";
            foreach (string member in Members)
                yield return Wrap(number++, $"[Store] public static partial class S {{ {Add} {member} }}");
            string[] bodies = [.. Bodies, .. Shadows, .. Newer, .. Made];
            foreach (string body in bodies) yield return Wrap(number++, body);
        }
    }

    /// <summary>Files in which nothing is wrong, in an assembly that wants to be used from any language.</summary>
    public static IEnumerable<string> Compliant =>
    [
        Wrap(0, S + Add + " }"), Wrap(1, Plain.Replace("long", "sbyte").Replace("int", "ulong") + C + ";"),
        Wrap(2, Plain.Replace("int", "string") + C + ";"), Wrap(3, Plain.Replace("long", "byte[]") + C + ";"),
    ];

    /// <summary>Files in which something is wrong, and what.</summary>
    public static IEnumerable<Variant> Refused
    {
        get
        {
            int number = 1000;
            foreach ((string body, string ids) in Wrong) yield return new Variant(Wrap(number++, body), ids);
            string[] reserved = ["Store", "Session", "Record", "OpenAsync", "RecoverAsync", "Schema", "Parts",
                "KeyCodec", "ValueCodec", "ReadOperation", "UpsertBatch"];
            foreach (string name in reserved)
            {
                string body = $"{Plain.Replace("[", "[global::Faster.")}public static partial class {name};";
                yield return new Variant(Wrap(number++, body), "FAS012");
                body = $"{S}{Add} public static void {name}() {{ }} }}";
                yield return new Variant(Wrap(number++, body), "FAS012");
            }

            const string local = "[Store(Key = typeof(int), Value = typeof(V), SerializerContext = typeof(F))] " + C
                + "; public class V; [System.Text.Json.Serialization.JsonSerializable(typeof(V))] "
                + "file class F : System.Text.Json.Serialization.JsonSerializerContext;";
            yield return new Variant(Wrap(number++, local), "FAS008", HasOwnErrors: true);
            yield return new Variant(Plain.Replace("long", "Missing") + C + "Q;", "", HasOwnErrors: true);
            // Two files with one file-local class each.
            yield return new Variant($"{Plain}file static partial class F;", "FAS002");
            yield return new Variant($"{Plain}file static partial class F;", "FAS002");
            // One class in two files, both with the attribute.
            yield return new Variant($"namespace Twice {{ {Plain}{C} {{ {Bad} }} }}", "FAS011");
            yield return new Variant($"namespace Twice {{ {Plain}{C}; }}", "", HasOwnErrors: true);
        }
    }

    private const string Bad = "[InPlaceUpdater] static async void Add(int key, long by) => await Task.Yield();";

    private static readonly (string Body, string Ids)[] Wrong =
    [
        (Plain.Replace("int", "void") + C + ";", "FAS013"),
        (Plain.Replace("int", "List<>") + C + ";", "FAS013"),
        (Plain.Replace("int", "Math") + C + ";", "FAS013"),
        (Plain.Replace("int", "Span<int>") + C + ";", "FAS013"),
        (Plain.Replace("long", "Session") + C + "; public struct Session { public int A; }", "FAS019"),
        (Plain.Replace("int", "Store") + C + "; public struct Store { public int A; }", "FAS019"),
        (Adds + "Record key, ref long total) { } } public struct Record { public int A; }", "FAS019"),
        (Adds + "int key, Session[] input, ref long total) { } } public struct Session { public int A; }", "FAS019"),
        (S + Add + " static object Do() => new Session(1); } public record Session(int A);", "FAS019"),
        (S + Add + " static void Do() { Record r = default; _ = r; } } public struct Record;", "FAS019"),
        (S + Add + " static object Do() => new List<Record>(); } public struct Record;", "FAS019"),
        (S + Add + " static object Do() => Session.New(); } public class Session { public static int New() => 1; }",
            "FAS019"),
        (S + Add + " public class H : Store; } public class Store;", "FAS019"),
        (S + Add + " static object Do() => Store.X.New(); } namespace Store { class X { public static int New() => 1; "
            + "} }", "FAS019"),
        ("using Session = System.Text.StringBuilder; " + S + Add + " static object Do() => new Session(); }", "FAS019"),
        ("public partial class O { static int OpenAsync(int i) => i; [Store] public static partial class S { " + Add
            + " static int Do() => OpenAsync(1); } }", "FAS019"),
        ("public partial class O { static int Schema; [Store] public static partial class S { " + Add
            + " static int Do() => Schema; } }", "FAS019"),
        (S + Add + " static Type Do() => typeof(Session); } public class Session;", "FAS019"),
        (Plain.Replace("int", "O<int*[]>.I") + C.Replace("partial", "unsafe partial")
            + "; public class O<T> { public struct I { public long A; } }", "FAS013"),
        (Adds.Replace("partial", "unsafe partial") + "int key, O<delegate*<int>[]>.I input, ref long total) { } } "
            + "public class O<T> { public class I; }", "FAS013"),
        (S + "private struct K { public int A; } [InPlaceUpdater] static void Add(O<K>.I key, ref long value) { } } "
            + "public class O<T> { public struct I { public long A; } }", "FAS013"),
        (Adds + "int key, O<V>.I input, ref long total) { } } public class O<T> { public class I; } file class V;",
            "FAS013"),
        (S + "[InPlaceUpdater] static partial void Add(long key, long by, ref long total); }", "FAS011"),
        (S + "[Obsolete(\"no\", true)] " + Add + " }", "FAS011"),
        (S + Add + " [System.Runtime.CompilerServices.OverloadResolutionPriority(1)] "
            + "static void Add(object key, long by, ref long total) { } }", "FAS011"),
        (Plain.Replace("long", "V") + C + "; file struct V { public int A; }", "FAS013"),
        (Plain.Replace("int", "V") + C + "; file struct V { public int A; }", "FAS013"),
        (Adds + "int key, V input, ref long total) { } } "
            + "file class V;", "FAS013"),
        (Adds.Replace("partial", "unsafe partial") + "int key, int* input, ref long total) { } }", "FAS013"),
        (Adds.Replace("partial", "unsafe partial") + "int key, int*[] input, ref long total) { } }", "FAS013"),
        (Adds + "int key, dynamic input, ref long total) "
            + "{ } }", "FAS013"),
        (S + "private class P; [InPlaceUpdater] static void Add(int key, P input, ref "
            + "long total) { } }", "FAS013"),
        ("public partial class O { protected class P; " + S + "[CompletionCallback] static void Done(P context) { } "
            + Add + " } }", "FAS013"),
        (S + "[InPlaceUpdater, System.Diagnostics.Conditional(\"X\")] static void "
            + "Add(int key, ref long total) { } }", "FAS011"),
        ("file partial class O { [Store] public static partial class S { " + Add + " } }", "FAS002"),
        ("partial class O<T> { [Store] public static partial class S { " + Add + " } }", "FAS002"),
        (Plain.Replace("long", "long?") + C + ";", "FAS008"),
        (Plain.Replace("long", "(string, int)") + C + ";", "FAS008"),
        (Plain.Replace("int", "decimal") + C + ";", "FAS016"),
    ];

    private static string Wrap(int number, string body)
    {
        int start = body.StartsWith('#') ? body.IndexOf('\n') + 1 : 0;
        bool hasUsing = body.AsSpan(start).StartsWith("using ");
        return $"{body[..start]}namespace N{number} {{ {(hasUsing ? body[start..] : body[start..])} }}";
    }
}
