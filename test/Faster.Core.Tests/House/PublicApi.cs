using System.Reflection;
using System.Runtime.CompilerServices;
using System.Text;

namespace Faster.Tests.House;

/// <summary>
/// Writes an assembly's public surface as text, one line for each type and member, in a stable order.
/// </summary>
internal static class PublicApi
{
    private const BindingFlags Declared =
        BindingFlags.Public | BindingFlags.NonPublic | BindingFlags.Instance | BindingFlags.Static
        | BindingFlags.DeclaredOnly;

    /// <summary>Returns the surface.</summary>
    public static string Describe(Assembly assembly)
    {
        StringBuilder text = new();
        foreach (Type type in assembly.GetExportedTypes().OrderBy(type => type.FullName, StringComparer.Ordinal))
        {
            text.Append(TypeLine(type)).Append('\n');
            foreach (string member in Members(type).Order(StringComparer.Ordinal))
                text.Append("  ").Append(member).Append('\n');
        }

        return text.ToString();
    }

    private static string TypeLine(Type type)
    {
        string kind = type switch
        {
            { IsEnum: true } => "enum",
            { IsValueType: true } => type.IsByRefLike ? "ref struct" : "struct",
            { IsInterface: true } => "interface",
            { IsAbstract: true, IsSealed: true } => "static class",
            { IsAbstract: true } => "abstract class",
            { IsSealed: true } => "sealed class",
            _ => "class",
        };
        string name = (type.Namespace is { } space ? space + "." : "") + TypeNames.Of(type);
        string[] bases = [.. BasesOf(type).Select(TypeNames.Of)];
        return $"{kind} {name}" + (bases.Length > 0 ? " : " + string.Join(", ", bases) : "");
    }

    private static IEnumerable<Type> BasesOf(Type type)
    {
        if (type.BaseType is { } parent && parent != typeof(object) && !type.IsValueType) yield return parent;
        IEnumerable<Type> own = type.GetInterfaces().Where(static i => i.IsVisible)
            .Except(type.BaseType?.GetInterfaces() ?? []);
        if (type.IsEnum) yield break;
        foreach (Type face in own.OrderBy(TypeNames.Of, StringComparer.Ordinal)) yield return face;
    }

    private static IEnumerable<string> Members(Type type)
    {
        if (type.IsEnum)
        {
            return Enum.GetNames(type).Select(name => $"{name} = {Convert.ToInt64(Enum.Parse(type, name),
                System.Globalization.CultureInfo.InvariantCulture)}");
        }

        return [
            .. type.GetFields(Declared).Where(field => field.IsPublic || IsProtected(field.Attributes))
                .Select(field => $"{Static(field.IsStatic)}{(field.IsLiteral ? "const " : "")}"
                    + $"{(field.IsInitOnly ? "readonly " : "")}{TypeNames.Of(field.FieldType)} {field.Name}"),
            .. type.GetConstructors(Declared).Where(IsSeen).Select(made => $"new({Parameters(made)})"),
            .. type.GetMethods(Declared).Where(IsSeen).Select(Method),
        ];
    }

    private static string Method(MethodInfo method)
    {
        string generics = method.IsGenericMethod
            ? $"<{string.Join(", ", method.GetGenericArguments().Select(TypeNames.Of))}>"
            : "";
        string dispatch = method switch
        {
            { IsAbstract: true, DeclaringType.IsInterface: false } => "abstract ",
            { IsVirtual: true, IsFinal: false, DeclaringType.IsInterface: false } =>
                method.GetBaseDefinition() == method ? "virtual " : "override ",
            _ => "",
        };
        string access = method.IsPublic ? "" : "protected ";
        // An init accessor is a setter whose return type is marked so.
        bool isInit = method.ReturnParameter.GetRequiredCustomModifiers().Contains(typeof(IsExternalInit));
        string result = isInit ? "init" : TypeNames.Of(method.ReturnType);
        return $"{access}{Static(method.IsStatic)}{dispatch}{result} "
            + $"{method.Name}{generics}({Parameters(method)})";
    }

    private static string Parameters(MethodBase method) => string.Join(", ", method.GetParameters()
        .Select(parameter => $"{TypeNames.Of(parameter)} {parameter.Name}{(parameter.IsOptional ? " = …" : "")}"));

    private static bool IsSeen(MethodBase method) =>
        (method.IsPublic || method.IsFamily || method.IsFamilyOrAssembly) && !method.Name.StartsWith('<');

    private static bool IsProtected(FieldAttributes attributes) =>
        (attributes & FieldAttributes.FieldAccessMask) is FieldAttributes.Family or FieldAttributes.FamORAssem;

    private static string Static(bool isStatic) => isStatic ? "static " : "";
}
