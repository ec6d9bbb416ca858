using System.Text;
using Faster.Generators.Emitting;
using Faster.Generators.Models;
using Faster.Generators.Parsing;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.Text;

namespace Faster.Generators;

/// <summary>
/// Generates a store and a session, with the user's functions inlined, from a class marked <c>[Store]</c> (paper 000
/// App. E).
/// </summary>
/// <remarks>
/// The folders are the stages of the pipeline: Parsing makes a model that consists of values only; Emitting turns the
/// model into text. The generator itself reports the errors in a class, because the compiler does not run analyzers
/// when a declaration names a type that was not emitted. <see cref="Diagnostics.StoreAnalyzer"/> reports warnings, and
/// marks the errors that a code fix can correct.
/// </remarks>
[Generator(LanguageNames.CSharp)]
public sealed class StoreGenerator : IIncrementalGenerator
{
    /// <summary>The name of the step that makes models and finds errors.</summary>
    public const string ModelStep = "StoreModel";

    /// <summary>The name of the step that drops classes with errors.</summary>
    public const string SoundModelStep = "SoundStoreModel";

    /// <inheritdoc/>
    public void Initialize(IncrementalGeneratorInitializationContext context)
    {
        IncrementalValuesProvider<ParsedStore> parsed = context.SyntaxProvider
            .ForAttributeWithMetadataName(
                KnownTypes.StoreAttribute,
                static (_, _) => true,
                static (match, cancellationToken) => IsFirst(match) ? Parse(match, cancellationToken) : default)
            .WithTrackingName(ModelStep);
        context.RegisterSourceOutput(
            parsed.SelectMany(static (store, _) => store.Errors),
            static (output, error) => output.ReportDiagnostic(error));
        IncrementalValuesProvider<StoreModel> models = parsed
            .Select(static (store, _) => store.Model)
            .Where(static model => model is not null)
            .Select(static (model, _) => model!)
            .WithTrackingName(SoundModelStep);
        // File names are case-insensitive, names of stores are not.
        IncrementalValueProvider<EquatableArray<string>> clashes = models.Select(static (model, _) => model.HintName)
            .Collect().Select(static (names, _) => new EquatableArray<string>(names
                .GroupBy(static name => name, StringComparer.OrdinalIgnoreCase)
                .Where(static group => group.Count() > 1).SelectMany(static group => group)));
        context.RegisterSourceOutput(models.Combine(clashes), static (output, pair) =>
        {
            (StoreModel model, EquatableArray<string> taken) = pair;
            string name = taken.Contains(model.HintName)
                ? StoreFrame.WithHash(model.HintName, model.FullName)
                : model.HintName;
            output.AddSource(name + ".g.cs", SourceText.From(StoreEmitter.Emit(model), Encoding.UTF8));
        });
    }

    private static ParsedStore Parse(GeneratorAttributeSyntaxContext match, CancellationToken cancellationToken)
    {
        var errors = new List<Diagnostic>();
        StoreModel? model = StoreParser.Parse(
            (INamedTypeSymbol)match.TargetSymbol,
            match.Attributes[0],
            found =>
            {
                if (found.DefaultSeverity == DiagnosticSeverity.Error) errors.Add(found);
            },
            cancellationToken);
        return new ParsedStore(model, new EquatableArray<Diagnostic>(errors));
    }

    // A class with the attribute on two of its parts is an error that the compiler reports, and one store.
    private static bool IsFirst(GeneratorAttributeSyntaxContext match) => match.TargetSymbol.GetAttributes()
        .First(a => a.AttributeClass.Is(KnownTypes.StoreAttribute)).ApplicationSyntaxReference is { } first
        && match.TargetNode.SyntaxTree == first.SyntaxTree && match.TargetNode.Span.Contains(first.Span);
}
