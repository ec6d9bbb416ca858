using Microsoft.CodeAnalysis;

namespace Faster.Generators.Models;

/// <summary>What the parser makes of one annotated class.</summary>
/// <param name="Model">The model; null if the class has errors.</param>
/// <param name="Errors">The errors. They hold locations, so a step of its own takes the model out of here.</param>
internal readonly record struct ParsedStore(StoreModel? Model, EquatableArray<Diagnostic> Errors);
