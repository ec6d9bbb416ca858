using System.Text;
using Faster.Generators.Emitting;
using Faster.Generators.Models;
using Faster.Generators.Parsing;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.Text;

namespace Faster.Generators;

/// <summary>
/// Turns a class marked <c>[Store]</c> into a store and a session with the user's functions inlined (paper 000 App. E).
/// </summary>
/// <remarks>
/// Folders are the pipeline: Parsing makes a model of values only, Emitting turns the model into text. What is wrong
/// with a class is reported by <see cref="Diagnostics.StoreAnalyzer"/>, so that code fixes can mend it.
/// </remarks>
[Generator(LanguageNames.CSharp)]
public sealed class StoreGenerator : IIncrementalGenerator
{
    /// <summary>The name of the step that makes models.</summary>
    public const string ModelStep = "StoreModel";

    /// <summary>The name of the step that drops classes with errors.</summary>
    public const string SoundModelStep = "SoundStoreModel";

    /// <inheritdoc/>
    public void Initialize(IncrementalGeneratorInitializationContext context)
    {
        IncrementalValuesProvider<StoreModel> models = context.SyntaxProvider
            .ForAttributeWithMetadataName(
                KnownTypes.StoreAttribute,
                static (_, _) => true,
                static (match, cancellationToken) => IsFirst(match)
                    ? StoreParser.Parse(
                        (INamedTypeSymbol)match.TargetSymbol, match.Attributes[0], static _ => { }, cancellationToken)
                    : null)
            .WithTrackingName(ModelStep)
            .Where(static model => model is not null)
            .Select(static (model, _) => model!)
            .WithTrackingName(SoundModelStep);
        // Files are told apart without regard to case, stores with.
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

    // A class that has the attribute on two of its parts is an error of the compiler's, and one store.
    private static bool IsFirst(GeneratorAttributeSyntaxContext match) => match.TargetSymbol.GetAttributes()
        .First(a => a.AttributeClass.Is(KnownTypes.StoreAttribute)).ApplicationSyntaxReference is { } first
        && match.TargetNode.SyntaxTree == first.SyntaxTree && match.TargetNode.Span.Contains(first.Span);
}
