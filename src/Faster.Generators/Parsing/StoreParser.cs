using Faster.Generators.Diagnostics;
using Faster.Generators.Models;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp.Syntax;

namespace Faster.Generators.Parsing;

/// <summary>
/// Parses an annotated class into a model, or reports its errors. The generator uses the model and the analyzer the
/// diagnostics, so that both apply the same rules.
/// </summary>
internal sealed class StoreParser
{
    private readonly INamedTypeSymbol _store;
    private readonly AttributeData _attribute;
    private readonly ITypeSymbol[] _engines;
    private readonly Action<Diagnostic> _report;
    private readonly CancellationToken _cancellationToken;
    private readonly Compilation _compilation;
    private Accessibility _least = Accessibility.Public; // of the types that emitted members expose
    private bool _isSound = true;

    private StoreParser(
        INamedTypeSymbol store, AttributeData attribute, Action<Diagnostic> report, CancellationToken cancellationToken)
    {
        _engines = [.. EngineLookup.EnginesOf(attribute)];
        _cancellationToken = cancellationToken;
        _compilation = ((ISourceAssemblySymbol)store.ContainingAssembly).Compilation;
        _store = store;
        _attribute = attribute;
        _report = diagnostic =>
        {
            _isSound &= diagnostic.Severity != DiagnosticSeverity.Error;
            report(diagnostic);
        };
    }

    /// <summary>Parses one class.</summary>
    /// <returns>The model; null if an error was reported.</returns>
    public static StoreModel? Parse(
        INamedTypeSymbol store, AttributeData attribute, Action<Diagnostic> report, CancellationToken cancellationToken)
    {
        var parser = new StoreParser(store, attribute, report, cancellationToken);
        if (!parser.CheckLibrary()) return null;
        _ = StoreFrame.Check(store, parser._report, cancellationToken);
        List<FunctionShape> shapes = parser.ReadFunctions();
        cancellationToken.ThrowIfCancellationRequested();
        List<TransactionShape> transactions = TransactionShape.ReadAll(store, parser._report);
        var types = new TypeInference(shapes, transactions, store, attribute, parser._report);
        EngineModel[] engines = [.. parser._engines.Select(type => parser.CheckEngine(type, shapes, transactions))
            .OfType<EngineModel>()];
        parser.CheckPrefixes();
        new UpdateOutputs(shapes, parser._report).Check();
        if (!parser._isSound || engines.Length == 0 || !types.Run() || !parser.CheckTypes(types)) return null;
        if (!shapes.Any(s => s.Method.Parameters.Any(p => TypeClassifier.IsError(p.Type))))
            new ParameterNames(shapes, types, parser._report).Check();
        StoreModel? model = parser.Model(shapes, types, engines, transactions);
        return parser._isSound ? model : null;
    }

    private List<FunctionShape> ReadFunctions()
    {
        var shapes = new List<FunctionShape>();
        var refused = new List<(FunctionKind Kind, IMethodSymbol Method, FormMistake Mistake)>();
        foreach (IMethodSymbol method in _store.GetMembers().OfType<IMethodSymbol>())
        {
            foreach (FunctionKind kind in FunctionAttributes.KindsOf(method))
            {
                Location at = KnownTypes.LocationOf(method);
                if (PlainMethod.WhyNot(method) is { } why)
                {
                    _report(Diagnostic.Create(Descriptors.BadFunction, at, method.Name, kind, why));
                }
                else if (shapes.Any(s => s.Kind == kind))
                {
                    _report(Diagnostic.Create(Descriptors.DuplicateFunction, at, _store.Name, kind));
                }
                else if (FunctionShape.TryRead(kind, method, out FormMistake mistake) is { } shape)
                {
                    shapes.Add(shape);
                }
                else
                {
                    refused.Add((kind, method, mistake));
                }
            }
        }

        ITypeSymbol? value = TypeInference.ValueOf(shapes, _attribute);
        foreach ((FunctionKind kind, IMethodSymbol method, FormMistake mistake) in refused)
        {
            _report(Diagnostic.Create(
                Descriptors.WrongSignature, KnownTypes.LocationOf((ISymbol?)mistake.At ?? method), method.Name, kind,
                mistake.Why, Signatures.Nearest(kind, method, value)));
        }

        return shapes;
    }

    private bool CheckLibrary()
    {
        INamedTypeSymbol library = _attribute.AttributeClass!;
        if (TypeClassifier.WhyUnnameable(library, _compilation) is { } why) Unusable(library, "attribute", why);
        return _isSound;
    }

    private EngineModel? CheckEngine(
        ITypeSymbol type, IReadOnlyList<FunctionShape> shapes, List<TransactionShape> transactions)
    {
        if (TypeClassifier.IsError(type))
        {
            _isSound = false; // the compiler has reported it
            return null;
        }

        if (EngineLookup.Read(type) is not { } engine)
        {
            string known = string.Join(", ", EngineLookup.EnginesWith(Capabilities.None, _attribute));
            _report(Diagnostic.Create(
                Descriptors.NotAnEngine, KnownTypes.LocationOf(_store), type.ToDisplayString(), known));
            return null;
        }

        foreach (ITypeSymbol named in EngineLookup.NamedBy(type))
        {
            if (TypeClassifier.WhyHidden(named, _compilation) is { } why) Unusable(named, "engine", why);
            _least = TypeClassifier.Least(_least, TypeClassifier.AccessibilityOf(named));
        }

        if (shapes.FirstOrDefault(static s => s.Kind == FunctionKind.Merger) is { } merger
            && !engine.Has(Capabilities.Mergers))
        {
            NotOffered(type, merger.Method, "does not merge deltas", "Merger", Capabilities.Mergers);
        }

        if (transactions.Count > 0 && !engine.Has(Capabilities.Transactions))
        {
            NotOffered(
                type, transactions[0].Method, "has no transactions", "Transaction", Capabilities.Transactions);
        }

        return engine;
    }

    private void NotOffered(
        ITypeSymbol engine, IMethodSymbol method, string why, string attribute, Capabilities capability)
    {
        string[] others = [.. EngineLookup.EnginesWith(capability, _attribute)];
        _report(Diagnostic.Create(
            Descriptors.NotOffered, PlaceOf(engine) ?? KnownTypes.LocationOf(method), engine.Name, why, attribute,
            others.Length == 0 ? "none of the library's" : string.Join(", ", others)));
    }

    // Two engines whose stores would have one name, or a member of the user's that has it.
    private void CheckPrefixes()
    {
        var prefixes = new HashSet<string>(StringComparer.Ordinal);
        bool isFirst = true;
        foreach (ITypeSymbol type in _engines)
        {
            string prefix = EngineLookup.PrefixOf(type);
            if (!prefixes.Add(prefix))
            {
                _report(Diagnostic.Create(
                    Descriptors.EngineTwice, PlaceOf(type) ?? KnownTypes.LocationOf(_store), type.Name, _store.Name));
            }
            else if (!isFirst)
            {
                StoreFrame.CheckNames(_store, [prefix + "Store", prefix + "Session"], _report);
            }

            isFirst = false;
        }
    }

    // The last place in the attribute that names an engine.
    private Location? PlaceOf(ITypeSymbol engine)
    {
        if (_attribute.ApplicationSyntaxReference?.GetSyntax(_cancellationToken) is not { } attribute) return null;
        SemanticModel model = _compilation.GetSemanticModel(attribute.SyntaxTree);
        return attribute.DescendantNodes().OfType<TypeOfExpressionSyntax>().LastOrDefault(named =>
            SymbolEqualityComparer.Default.Equals(model.GetTypeInfo(named.Type, _cancellationToken).Type, engine))
            ?.GetLocation();
    }

    private bool CheckTypes(TypeInference types)
    {
        ITypeSymbol?[] all =
            [types.Key, types.Value, types.ReadInput, types.UpdateInput, types.Output,
            types.UpdateOutput];
        if (all.Any(TypeClassifier.IsError)) return false; // the compiler has reported it
        CheckUsable(types.Key!, "key");
        if (!types.Value!.IsByteWriter() && !types.Value!.IsValueSlot()) CheckUsable(types.Value!, "value");
        if (!_isSound) return false;
        _ = SerializerLookup.Check(types.Key!, _store, _attribute, _compilation, _report);
        bool areSame = SymbolEqualityComparer.Default.Equals(types.Key, types.Value);
        if (!areSame && !IsBytes(types.Value!))
            _ = SerializerLookup.Check(types.Value!, _store, _attribute, _compilation, _report);
        CheckLayouts(types);
        return _isSound;
    }

    private void CheckLayouts(TypeInference types)
    {
        Location at = KnownTypes.LocationOf(_store);
        if (TypeClassifier.KindOf(types.Key!) == DataKind.Unmanaged)
        {
            string name = types.Key!.ToDisplayString();
            TypeLayout layout = TypeLayout.Of(types.Key!);
            if (layout.HasPadding) _report(Diagnostic.Create(Descriptors.KeyPadding, at, name));
            if (layout.HasFloat) _report(Diagnostic.Create(Descriptors.KeyFloat, at, name));
            if (KeyEquality.WhyNotBytes(types.Key!) is { } why)
                _report(Diagnostic.Create(Descriptors.KeyEquality, at, name, why));
            CheckSize(at, name, layout);
        }

        if (types.Value!.IsUnmanagedType && TypeClassifier.KindOf(types.Value!) == DataKind.Unmanaged)
            CheckSize(at, types.Value!.ToDisplayString(), TypeLayout.Of(types.Value!));
    }

    private void CheckSize(Location at, string name, TypeLayout layout)
    {
        const int most = 64 << 10;
        if (layout.Size > most) _report(Diagnostic.Create(Descriptors.LargeStruct, at, name, layout.Size, most));
    }

    private static bool IsBytes(ITypeSymbol value) => value.IsByteWriter() || value.IsValueSlot();

    private void CheckUsable(ITypeSymbol type, string what)
    {
        if (TypeClassifier.WhyUnusable(type, _compilation) is { } why) Unusable(type, what, why);
    }

    private void Unusable(ITypeSymbol type, string what, string why) => _report(Diagnostic.Create(
        Descriptors.UnusableType, KnownTypes.LocationOf(_store), type.ToDisplayString(), what, why));

    private StoreModel? Model(
        IReadOnlyList<FunctionShape> shapes, TypeInference types, EngineModel[] engines,
        IReadOnlyList<TransactionShape> transactions)
    {
        DataModel key = TypeClassifier.Classify(types.Key!);
        DataModel value = IsBytes(types.Value!)
            ? new DataModel(DataKind.Bytes, "byte[]", true, false, "bytes", "bytes")
            : TypeClassifier.Classify(types.Value!);
        ITypeSymbol? output = types.Output;
        OperandModel outputModel = output is null
            ? new OperandModel(InputKind.Typed, value.Type, value.IsReference)
            : Operand(output);
        OperandModel? updateOutput = types.UpdateOutput is null ? null : Operand(types.UpdateOutput);
        var callback = CallbackParameters.Read(
            shapes.FirstOrDefault(s => s.Kind == FunctionKind.CompletionCallback)?.Method, outputModel, updateOutput,
            _report);
        CheckOperands(types, callback.Context, transactions);
        var parser = new TransactionParser(transactions, types.Key!, types.Value!, _report);
        parser.CheckNames(_engines);
        EquatableArray<TransactionModel> transactionModels = parser.Parse();
        if (!_isSound) return null;

        string? containing = _store.ContainingNamespace is { IsGlobalNamespace: false } n ? n.ToDisplayString() : null;
        var model = new StoreModel(
            containing,
            StoreFrame.Containers(_store),
            StoreFrame.Escape(_store.Name),
            _store.ToDisplayString(SymbolDisplayFormat.FullyQualifiedFormat),
            StoreFrame.HintName(_store),
            _least == Accessibility.Public ? "public" : "internal",
            engines[0],
            new EquatableArray<EngineModel>(engines.Zip(
                _engines,
                (engine, type) => engine == engines[0]
                    ? engine
                    : engine with { Prefix = EngineLookup.PrefixOf(type) })),
            _attribute.NamedArguments.FirstOrDefault(a => a.Key == "Concurrency").Value.Value is not 1,
            key,
            value,
            types.ReadInput is null ? null : Operand(types.ReadInput),
            types.UpdateInput is null ? null : Operand(types.UpdateInput),
            outputModel,
            updateOutput,
            callback.Context is null ? null : Operand(callback.Context),
            SerializerLookup.ContextOf(_attribute)?.NameInCode(),
            new EquatableArray<FunctionModel>(shapes.Select(s => Function(s, callback.Parameters))),
            transactionModels);
        foreach ((FunctionKind missing, string why) in Completeness.Missing(model))
        {
            _report(Diagnostic.Create(
                Descriptors.MissingFunction, KnownTypes.LocationOf(_store), _store.Name, missing, why));
        }

        return model;
    }

    private void CheckOperands(
        TypeInference types, ITypeSymbol? context, IReadOnlyList<TransactionShape> transactions)
    {
        _least = TypeClassifier.Least(_least, TypeClassifier.Least(
            TypeClassifier.AccessibilityOf(types.Key!), TypeClassifier.AccessibilityOf(types.Value!)));
        (ITypeSymbol? Type, string What)[] operands =
        [
            (types.ReadInput, "read input"), (types.UpdateInput, "update input"), (types.Output, "output"),
            (types.UpdateOutput, "output"), (context, "context"),
            .. transactions.SelectMany(static t => t.Roles)
                .Where(static r => r.Role is TransactionRole.Input or TransactionRole.Output)
                .Select(static r => ((ITypeSymbol?)r.Parameter.Type, r.Role.ToString().ToLowerInvariant())),
        ];
        foreach ((ITypeSymbol? type, string what) in operands)
        {
            if (type is null) continue;
            if (TypeClassifier.WhyUnusableOperand(type, _compilation) is { } why) Unusable(type, what, why);
            _least = TypeClassifier.Least(_least, TypeClassifier.AccessibilityOf(type));
        }
    }

    private static OperandModel Operand(ITypeSymbol type)
    {
        InputKind kind = type.IsSpanOfBytes() ? InputKind.Bytes
            : type.IsSpanOfChars() ? InputKind.Chars : InputKind.Typed;
        bool isReference = type.IsReferenceType && type.NullableAnnotation != NullableAnnotation.Annotated;
        return new OperandModel(kind, type.NameInCode(), isReference);
    }

    private FunctionModel Function(FunctionShape shape, EquatableArray<ParameterModel> callback)
    {
        EquatableArray<ParameterModel> parameters = shape.Kind == FunctionKind.CompletionCallback
            ? callback
            : new(shape.Method.Parameters.Select(p => Signatures.Model(p, RoleOf(shape, p))));
        bool returnsBool = shape.Method.ReturnType.SpecialType == SpecialType.System_Boolean;
        bool runsInHits = shape.IsWriter || shape.Kind is FunctionKind.InPlaceUpdater or FunctionKind.CopyUpdater;
        return new FunctionModel(
            shape.Kind, StoreFrame.Escape(shape.Method.Name), parameters, returnsBool, shape.IsRaw,
            runsInHits && NoThrowProof.Holds(shape.Method, _cancellationToken),
            PlainMethod.Overloads(shape.Method).Any());
    }

    /// <summary>Returns the role of a parameter, once types are known.</summary>
    public static Role RoleOf(FunctionShape shape, IParameterSymbol parameter)
    {
        bool Is(IParameterSymbol? other) => SymbolEqualityComparer.Default.Equals(parameter, other);
        return Is(shape.Key) ? Role.Key : Is(shape.Input) ? Role.Input : Is(shape.Source) ? Role.Source
            : Is(shape.Newer) ? Role.Newer : Is(shape.Output) ? Role.Output : Role.Target;
    }
}
