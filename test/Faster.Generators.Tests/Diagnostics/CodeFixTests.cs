using System.Collections.Immutable;
using Faster.Generators.CodeFixes;
using Faster.Generators.Tests.Fakes;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CodeActions;
using Microsoft.CodeAnalysis.CodeFixes;
using Microsoft.CodeAnalysis.CSharp;
using Microsoft.CodeAnalysis.Text;

namespace Faster.Generators.Tests.Diagnostics;

/// <summary>Code fixes, applied to a document; afterwards the diagnostic is gone.</summary>
public class CodeFixTests
{
    [Theory]
    [InlineData("[Store(Key = typeof(int), Value = typeof(int))]\n// c\npublic sealed class S;",
        "[Store(Key = typeof(int), Value = typeof(int))]\n// c\npublic static partial class S;")]
    [InlineData("[Store(Key = typeof(int), Value = typeof(int))]\nclass S;",
        "[Store(Key = typeof(int), Value = typeof(int))]\nstatic partial class S;")]
    [InlineData("[Store(Key = typeof(int), Value = typeof(int))]\npublic partial class S;",
        "[Store(Key = typeof(int), Value = typeof(int))]\npublic static partial class S;")]
    public Task The_class_becomes_static_partial(string before, string after) =>
        Check(new MakeStaticPartialFix(), before, after);

    [Fact]
    public Task A_serializer_context_is_written() => Check(
        new AddSerializerFix(),
        """
        namespace Demo
        {
            public class Order;

            [Store(Key = typeof(int), Value = typeof(Order))]
            public static partial class Orders;
        }
        """,
        """
        namespace Demo
        {
            public class Order;

            [Store(Key = typeof(int), Value = typeof(Order), SerializerContext = typeof(OrdersJson))]
            public static partial class Orders;

            [global::System.Text.Json.Serialization.JsonSerializable(typeof(Demo.Order))]
            internal sealed partial class OrdersJson : global::System.Text.Json.Serialization.JsonSerializerContext;
        }
        """);

    [Fact]
    public Task A_type_is_added_to_the_context_that_is_there() => Check(
        new AddSerializerFix(),
        """
        public class Order;
        public class Other;
        [System.Text.Json.Serialization.JsonSerializable(typeof(Other))]
        sealed partial class Ctx : System.Text.Json.Serialization.JsonSerializerContext;
        [Store(Key = typeof(int), Value = typeof(Order), SerializerContext = typeof(Ctx))] static partial class S;
        """,
        """
        public class Order;
        public class Other;
        [global::System.Text.Json.Serialization.JsonSerializable(typeof(Order))]
        [System.Text.Json.Serialization.JsonSerializable(typeof(Other))]
        sealed partial class Ctx : System.Text.Json.Serialization.JsonSerializerContext;
        [Store(Key = typeof(int), Value = typeof(Order), SerializerContext = typeof(Ctx))] static partial class S;
        """);

    [Fact]
    public Task Swapped_parameters_are_put_in_order() => Check(
        new ParameterOrderFix(),
        """
        [Store] public static partial class S
        {
            [CopyUpdater] static void Copy(string word, long old, long input, ref long t) => t = old + input;
        }
        """,
        """
        [Store] public static partial class S
        {
            [CopyUpdater] static void Copy(string word, long input, long old, ref long t) => t = old + input;
        }
        """);

    [Fact]
    public Task A_forgotten_old_value_is_added_and_begun_with() => Check(
        new ParameterOrderFix(),
        """
        [Store] public static partial class S
        {
            [InPlaceUpdater] static void Add(string word, long times, ref long t) => t += times;
            [CopyUpdater] static void Copy(string word, long times, ref long t) => t += times;
        }
        """,
        """
        [Store] public static partial class S
        {
            [InPlaceUpdater] static void Add(string word, long times, ref long t) => t += times;
            [CopyUpdater]
            static void Copy(string word, long times, long oldValue, ref long t)
            {
                t = oldValue;
                t += times;
            }
        }
        """);

    [Fact]
    public Task A_pending_operation_is_waited_for() => Check(
        new CheckStatusFix(),
        """
        [Store(Key = typeof(int), Value = typeof(int))] public static partial class S;
        class Program { void Run(S.Session session) {
            session.Upsert(1, 2); // why
        } }
        """,
        """
        [Store(Key = typeof(int), Value = typeof(int))] public static partial class S;
        class Program { void Run(S.Session session) {
            if (session.Upsert(1, 2) == global::Faster.Status.Pending) session.CompletePending(wait: true); // why
        } }
        """);

    [Theory]
    [InlineData("ref Order order", "ref Order? order")]
    [InlineData("ReadOnlyRecords<Order> orders", "ReadOnlyRecords<Order?> orders")]
    public Task A_record_may_become_absent(string before, string after) => Check(
        new NullableRecordFix(), TransactionSources.Orders(before), TransactionSources.Orders(after));

    private static async Task Check(CodeFixProvider fix, string before, string after)
    {
        Assert.Equal(after.ReplaceLineEndings("\n"), await ApplyAsync(fix, before));
        Assert.Empty(await Harness.AnalyzeAsync(after));
        Assert.Empty(await Harness.MarksAsync(after));
        Assert.DoesNotContain(Harness.Build(after).GetDiagnostics(), d => d.Severity == DiagnosticSeverity.Error);
    }

    private static async Task<string> ApplyAsync(CodeFixProvider fix, string source)
    {
        Diagnostic[] all = [.. await Harness.AnalyzeAsync(source), .. await Harness.MarksAsync(source)];
        Diagnostic found = all.First(d => fix.FixableDiagnosticIds.Contains(d.Id));
        using var workspace = new AdhocWorkspace();
        Document document = workspace.AddProject("User", LanguageNames.CSharp)
            .WithParseOptions(Harness.Parse)
            .WithCompilationOptions(new CSharpCompilationOptions(OutputKind.DynamicallyLinkedLibrary))
            .AddMetadataReferences(Harness.References)
            .AddDocument("User.cs", SourceText.From(source.ReplaceLineEndings("\n")));
        SyntaxTree tree = (await document.GetSyntaxTreeAsync())!;
        Diagnostic here = Diagnostic.Create(
            found.Descriptor, Location.Create(tree, found.Location.SourceSpan), found.Properties);
        CodeAction? action = null;
        var context = new CodeFixContext(document, here, (a, _) => action ??= a, CancellationToken.None);
        await fix.RegisterCodeFixesAsync(context);
        Assert.NotNull(action);
        ImmutableArray<CodeActionOperation> operations = await action.GetOperationsAsync(CancellationToken.None);
        Solution changed = operations.OfType<ApplyChangesOperation>().Single().ChangedSolution;
        string text = (await changed.GetDocument(document.Id)!.GetTextAsync()).ToString();
        return text.ReplaceLineEndings("\n");
    }
}
